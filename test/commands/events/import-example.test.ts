import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { events, type StoredEvent } from '../../../src/service/events/store/events.ts';
import { SqliteStore } from '../../../src/service/platform/store/sqlite/store.ts';
import { startStandIn } from '../../support/peers/stand-in.ts';
import { ROOT, runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const FILE = join(ROOT, 'examples', 'reviews.csv.gz');
const IMPORT = [
  'events',
  'import',
  FILE,
  '--map',
  'userId=reviewerId',
  '--map',
  'timestamp=date',
  '--set',
  'event=review_posted',
  '--convert-timestamps',
  '--json',
];

/** The file's rows as they should be stored, read without any of the importer's code. */
const expected = gunzipSync(readFileSync(FILE))
  .toString('utf8')
  .trim()
  .split('\r\n')
  .slice(1)
  .map((line) => {
    const [reviewerId, vendorId, rating, date] = line.split(',');
    return {
      userId: reviewerId,
      event: 'review_posted',
      timestamp: `${date!.replace(' ', 'T')}:00Z`,
      properties: JSON.stringify({ vendorId, rating: Number(rating) }),
    };
  });

const byRow = (
  a: { userId: string | undefined; timestamp: string; properties: string | null },
  b: typeof a,
) => (`${a.userId} ${a.timestamp} ${a.properties}` < `${b.userId} ${b.timestamp} ${b.properties}` ? -1 : 1);

async function stored(store: SqliteStore, workspace: string) {
  const all: StoredEvent[] = [];
  for (let more = true; more; ) {
    const last = all.at(-1)?.number ?? 0;
    const page = await store.read((tx) => events.after(tx, workspace, last, 10_000));
    all.push(...page.rows);
    more = page.rows.length > 0;
  }
  return all
    .map(({ userId, event, timestamp, properties }) => ({ userId, event, timestamp, properties }))
    .sort(byRow);
}

describe('svc events import on real rows', () => {
  it('stores on local exactly what the file holds', async () => {
    const home = tempDir();
    const run = await runSvc([...IMPORT, '--profile', 'local', '--rejects', join(home, 'rejects')], { home });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      read: 5000,
      accepted: 5000,
      rejected: 0,
      skipped: 0,
      unsent: 0,
    });
    const database = join(home, 'data', 'service.db');
    const { workspace } = JSON.parse(readFileSync(`${database}.credentials.json`, 'utf8'));
    const store = await SqliteStore.open(database, systemClock);
    try {
      expect(await stored(store, workspace)).toEqual([...expected].sort(byRow));
    } finally {
      await store.close();
    }
  });

  it('stores over HTTP exactly what the file holds', async () => {
    const service = await startTestService();
    const run = await runSvc(IMPORT, { env: service.env });
    expect(JSON.parse(run.stdout)).toMatchObject({ read: 5000, accepted: 5000 });
    expect(await stored(service.platform.store as SqliteStore, service.workspace)).toEqual(
      [...expected].sort(byRow),
    );
  });

  it('sends what the specification allows', async () => {
    const standIn = await startStandIn();
    const run = await runSvc(IMPORT, { env: standIn.env });
    expect(JSON.parse(run.stdout)).toMatchObject({ read: 5000, accepted: 5000 });
    const sent = standIn.requests.flatMap(({ body }) => (body as { events: unknown[] }).events);
    expect(sent).toHaveLength(5000);
  });

  it('brings big integers, number spelling, escapes and astral characters to the wire byte for byte', async () => {
    const standIn = await startStandIn();
    const record =
      '{"timestamp":"2026-01-01T00:00:00Z","event":"e","userId":"u","properties":{"n":12345678901234567890,"x":1.50,"s":"\\u00e9\\n\\/😀 \\ud83d\\ude00"}}';
    const run = await runSvc(['events', 'import', '-', '--json'], { env: standIn.env, stdin: `${record}\n` });
    expect(run.code).toBe(0);
    expect(standIn.requests[0]!.raw.toString('utf8')).toContain(record);
  });
});

describe('the stand-in', () => {
  it.each([
    ['a missing workspace', { 'x-service-workspace': '' }, { events: [] }],
    ['another content type', { 'content-type': 'text/plain' }, { events: [] }],
    [
      '1,001 events',
      {},
      { events: Array(1001).fill({ userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' }) },
    ],
    ['a bad event', {}, { events: [{ userId: 5, event: 'e', timestamp: '2026-01-01T00:00:00Z' }] }],
    [
      'a null',
      {},
      { events: [{ userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z', properties: { a: null } }] },
    ],
  ])('refuses %s', async (_, headers, body) => {
    const standIn = await startStandIn();
    const good = {
      authorization: `Bearer ${standIn.env.SVC_API_KEY}`,
      'x-service-workspace': standIn.env.SVC_WORKSPACE,
      'content-type': 'application/json',
    };
    const answer = await fetch(`${standIn.url}/v1/events`, {
      method: 'POST',
      headers: { ...good, ...headers },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(400);
    expect(standIn.takeFaults()).toHaveLength(1);
  });
});
