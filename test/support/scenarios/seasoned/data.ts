import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'libsql';
import pg from 'pg';
import { secretAssociatedData } from '../../../../src/service/platform/crypto/associated-data.ts';
import { createCipher } from '../../../../src/service/platform/crypto/cipher.ts';
import { isPostgres } from '../../../../src/service/platform/store/postgres/url.ts';

/** The amount of data in a store after several years. */
export interface SeasonedSize {
  /** Events of the hot user that a catalog rule uses. */
  readonly hotEvents: number;
  /** Events of `bigBytes` each. */
  readonly bigEvents: number;
  readonly bigBytes: number;
  readonly contents: number;
  /** Subscriptions, more than are allowed now: an earlier version had no cap. */
  readonly subscriptions: number;
  /** Past deliveries of the first subscription. */
  readonly deliveries: number;
  /** Decisions, and how many of them have every content as a candidate. */
  readonly decisions: number;
  readonly wideDecisions: number;
  /** Pending messages of the hot user. */
  readonly messages: number;
}

/** The key that encrypts the secrets of its subscriptions. Start the service with it (SVC_DATA_KEY). */
export const DATA_KEY = '5e'.repeat(32);
const SECRET = 'a signing secret of a seasoned store';
const HOT_EVENT = 'viewed';

type Value = string | number | Buffer | null;
type Run = (sql: string, params: readonly Value[]) => Promise<void>;

const DAY = 86_400_000;

/** Writes a catalog with as many bytes and rules as allowed. Returns its path. */
export function seasonedCatalog(path: string, contents: number): string {
  const text = 'x'.repeat(Math.min(9_000, Math.floor((15 * 1024 * 1024) / contents) - 400));
  const rule = (i: number) => ({ event: HOT_EVENT, withinDays: 1 + (i % 64), atMost: 10_000 });
  const all = Array.from({ length: contents }, (_, i) => ({
    contentId: `content_${i}`,
    category: `category_${i % 20}`,
    format: 'card',
    title: `Content ${i}`,
    body: text,
    // Only the hot user exceeds these limits, so each rule counts to its limit.
    ...(i % 2 ? { eligibility: { events: [rule(i)] } } : {}),
  }));
  writeFileSync(path, JSON.stringify({ contents: all }));
  return path;
}

/**
 * Fills the store of a workspace with the data of several years, directly by SQL, because requests would take too long.
 * `hotHash` belongs to the user `hot`; `url` receives the deliveries of every subscription.
 */
export async function season(
  database: string,
  size: SeasonedSize,
  { workspace, hotHash, url }: { workspace: string; hotHash: string; url: string },
): Promise<void> {
  const { run, close } = await open(database);
  const now = Date.now();
  const fill = (count: number, insert: string, params: readonly Value[]) =>
    run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) ${insert}`,
      params,
    );
  await fill(
    size.hotEvents,
    `INSERT INTO recent_event (workspace_id, user_id, event, at_ms, number)
     SELECT ?, 'hot', ?, CAST(? AS BIGINT) - i, i FROM n`,
    [workspace, HOT_EVENT, now],
  );
  const eventsAfter = (number: number) =>
    `INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, received_at)
     SELECT ?, ${number} + i, 'hot', ?, '2026-01-01T00:00:00Z', ?, CAST(? AS BIGINT) FROM n`;
  const big = JSON.stringify({ text: 'x'.repeat(size.bigBytes - 11) });
  await fill(size.bigEvents, eventsAfter(0), [workspace, HOT_EVENT, big, now]);
  await fill(size.hotEvents, eventsAfter(size.bigEvents), [workspace, HOT_EVENT, null, now]);
  await run('UPDATE event_head SET number = ? WHERE workspace_id = ?', [
    size.bigEvents + size.hotEvents,
    workspace,
  ]);

  const decisionsAfter = (
    seq: number,
  ) => `INSERT INTO decision (${isPostgres(database) ? '' : 'seq, '}workspace_id, decision_id, hash_id, at_ms, context, content_id, candidates,
      prior, model_version, seed, reward)
    SELECT ${isPostgres(database) ? '' : `${seq} + i, `}?, ? || CAST(i AS TEXT), ?, CAST(? AS BIGINT) - CAST(i AS BIGINT) * 60000, '{"channel":"in-app"}', 'content_0', ?,
      0.1, 0, '0123456789abcdef', 0 FROM n`;
  const one = JSON.stringify([['content_0', 1, 0.1]]);
  const wide = JSON.stringify(
    Array.from({ length: size.contents }, (_, i) => [`content_${i}`, 1 / size.contents, 0.1]),
  );
  await fill(size.wideDecisions, decisionsAfter(0), [workspace, 'dec_wide', hotHash, now, wide]);
  await fill(size.decisions, decisionsAfter(size.wideDecisions), [workspace, 'dec_old', hotHash, now, one]);
  await fill(
    size.messages,
    `INSERT INTO message (workspace_id, decision_id, hash_id, content_id, format, title, body, at_ms, withdraw_at,
       contact_at)
     SELECT ?, 'dec_old' || CAST(i AS TEXT), ?, 'content_0', 'card', 'T', ?, CAST(? AS BIGINT) - i,
       CAST(? AS BIGINT), CAST(? AS BIGINT) FROM n`,
    [workspace, hotHash, 'b'.repeat(10_000), now, now + DAY, now],
  );

  const cipher = createCipher(Buffer.from(DATA_KEY, 'hex'));
  for (let i = 0; i < size.subscriptions; i++) {
    const id = `wh_seasoned${i}`;
    await run(
      `INSERT INTO webhook (workspace_id, webhook_id, url, events, status, secret, created_at)
       VALUES (?, ?, ?, '["campaign.clicked"]', 'active', ?, ?)`,
      [workspace, id, `${url}?${'q'.repeat(1500)}${i}`, cipher.seal(SECRET, secretAssociatedData(id)), now],
    );
  }
  await fill(
    size.deliveries,
    `INSERT INTO delivery (workspace_id, delivery_id, webhook_id, kind, body, status, occurred_at, attempts, claim,
       claimed, due_at)
     SELECT ?, 'dlv_seasoned' || CAST(i AS TEXT), 'wh_seasoned0', 'campaign.clicked', '{}', 'failed',
       CAST(? AS BIGINT) - i, 10, 60, 0, NULL FROM n`,
    [workspace, now],
  );
  for (let attempt = 1; attempt <= 50; attempt++)
    await run(
      `INSERT INTO delivery_attempt (workspace_id, delivery_id, number, at, status, error, duration_ms, signed_by)
       SELECT workspace_id, delivery_id, ${attempt}, occurred_at, NULL, ?, 5, '[1]' FROM delivery
       WHERE webhook_id = 'wh_seasoned0'`,
      ['e'.repeat(400)],
    );
  await close();
}

async function open(database: string): Promise<{ run: Run; close: () => Promise<void> }> {
  if (isPostgres(database)) {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    await client.query('BEGIN');
    return {
      run: async (sql, params) => {
        let n = 0;
        await client.query(
          sql.replaceAll('?', () => `$${++n}`),
          [...params],
        );
      },
      close: async () => {
        await client.query('COMMIT');
        await client.query('ANALYZE');
        await client.end();
      },
    };
  }
  const file = new Database(database);
  file.exec('PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF; BEGIN IMMEDIATE');
  return {
    run: async (sql, params) => void file.prepare(sql).run(...params),
    close: async () => {
      file.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
      file.close();
    },
  };
}

/** The peak memory of a process, in MB. */
export function peakMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) / 1024;
}

/** The CPU time of a process so far, in seconds. */
export function cpuSeconds(pid: number): number {
  const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) / 100;
}
