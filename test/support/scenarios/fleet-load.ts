import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type Receiver, startReceiver } from '../peers/receiver.ts';
import { clientOf, type Fleet } from '../process/fleet.ts';
import type { SvcProgram } from '../process/svc-process.ts';

export interface LoadReport {
  readonly imports: number;
  /** Incomplete imports, as text. */
  readonly failedImports: string[];
  /** Events that importers reported as accepted, those in the database, and those that differ. */
  readonly accepted: number;
  readonly stored: number;
  readonly distinct: number;
  /** Answered decisions, and decisions in the database. */
  readonly decisions: number;
  readonly decisionsStored: number;
  /** Users with more contacts than their cap. */
  readonly overCap: number;
  /** Users who reached their cap. */
  readonly atCap: number;
  /** Answered taps, and deliveries in the database. */
  readonly outcomes: number;
  readonly deliveriesStored: number;
  /** Requests that were answered with a server error, or not at all, and were sent again. */
  readonly refused: number;
  /** Deliveries received more than once. The guarantee is at least once. */
  readonly repeated: number;
  /** Time from the end of the load until every delivery was stored as delivered, in ms. */
  readonly takenOverMs: number;
  /** The longest time from the answer to an outcome to its delivery, in ms, including kills and leases. */
  readonly slowestMs: number;
}

export interface Load {
  /** Ends the load, waits until all acknowledged work is done, stops the fleet and counts in `database`. */
  finish(database: string): Promise<LoadReport>;
  /** Aborts the load after a failure. */
  abandon(): Promise<void>;
}

const IMPORTERS = 2;
const ACTORS = 4;
/** Events per import. Each importer runs one import after another. */
const EVENTS = 2000;
const USER_MS = 500;
const CAP = 3;
const SECRET = 'the secret of the fleet test';

/** Flags of the nodes under load. */
export const LOADED_NODE = [
  ...['ingest', 'inform', 'decisions', 'reads', 'webhooks'].flatMap((group) => ['--limit', `${group}=off`]),
  '--allow-loopback-webhooks',
];

/** Imports, requests decisions, reports taps and receives deliveries, with clients that retry without limit. */
export async function startLoad(program: SvcProgram, fleet: Fleet, home: string): Promise<Load> {
  // Slow, so that a kill interrupts running deliveries.
  const receiver = await startReceiver(
    (response) => void setTimeout(() => response.writeHead(204).end(), 400),
  );
  const subscription = { url: receiver.url, events: ['campaign.clicked'], signingSecret: SECRET };
  let refused = 0;
  const retry = () => void refused++;
  const created = await insist(fleet, retry, '/v1/webhooks', 'webhook', subscription);
  if (created.status !== 201) throw new Error(`no subscription: ${created.status}`);
  const over = new AbortController();
  const children = new Set<ChildProcess>();
  const importing = Array.from({ length: IMPORTERS }, (_, i) =>
    importEvents(program, fleet, join(home, `importer-${i}`), { over: over.signal, importer: i, children }),
  );
  const acting = Array.from({ length: ACTORS }, (_, i) =>
    actAsUsers(fleet, retry, over.signal, `actor-${i}`),
  );
  return {
    abandon: async () => {
      over.abort();
      for (const child of children) child.kill('SIGKILL');
      await Promise.allSettled(importing);
      await receiver.close();
    },
    finish: async (database) => {
      const end = performance.now();
      over.abort();
      const acted = (await Promise.all(acting)).flat();
      const tapped = acted.filter(({ tappedAt }) => tappedAt !== undefined);
      await delivered(receiver, new Set(tapped.map(({ decisionId }) => decisionId)));
      await nothingDue(database, fleet.workspace);
      const takenOverMs = performance.now() - end;
      const imports = (await Promise.all(importing)).flat();
      await fleet.stop();
      await receiver.close();
      const { contacts, ...facts } = await factsOf(database, fleet.workspace);
      const received = deliveriesOf(receiver);
      return {
        imports: imports.length,
        failedImports: imports.flatMap(({ failure }) => failure ?? []),
        accepted: imports.reduce((sum, { accepted }) => sum + accepted, 0),
        ...facts,
        decisions: acted.length,
        overCap: contacts.filter((n) => n > CAP).length,
        atCap: contacts.filter((n) => n === CAP).length,
        outcomes: tapped.length,
        refused,
        repeated: received.length - new Set(received.map(({ deliveryId }) => deliveryId)).size,
        takenOverMs: Math.round(takenOverMs),
        slowestMs: Math.max(
          ...tapped.map(({ decisionId, tappedAt }) => {
            const first = received.findIndex((delivery) => delivery.decisionId === decisionId);
            return receiver.received[first]!.at - tappedAt!;
          }),
        ),
      };
    },
  };
}

async function importEvents(
  program: SvcProgram,
  fleet: Fleet,
  home: string,
  { over, importer, children }: { over: AbortSignal; importer: number; children: Set<ChildProcess> },
): Promise<{ accepted: number; failure: string | undefined }[]> {
  const env = clientOf(fleet, home);
  const runs: { accepted: number; failure: string | undefined }[] = [];
  while (!over.aborted) {
    const file = `events-${runs.length}.ndjson`;
    const lines = Array.from({ length: EVENTS }, (_, n) =>
      JSON.stringify({
        userId: `${importer}-${runs.length}-${n}`,
        event: 'e',
        timestamp: '2026-01-01T00:00:00Z',
      }),
    );
    writeFileSync(join(home, file), lines.join('\n'));
    const argv = ['events', 'import', file, '--json', '--quiet', '--batch-size', '20', '--concurrency', '1'];
    const svc = program.start([...argv, '--max-wait', '10m', '--timeout', '10'], { env, cwd: home });
    children.add(svc.child);
    const { code, stdout, stderr } = await svc.ended;
    children.delete(svc.child);
    if (stdout === '') throw new Error(`importer ${importer} ended with ${code}: ${stderr}`);
    const { accepted } = JSON.parse(stdout) as { accepted: number };
    const whole = code === 0 && accepted === EVENTS;
    runs.push({ accepted, failure: whole ? undefined : `${file}: ${code}, ${accepted} accepted: ${stderr}` });
  }
  return runs;
}

/** Requests decisions for a few users with a cap and reports taps, with unlimited retries. */
async function actAsUsers(fleet: Fleet, retry: () => void, over: AbortSignal, name: string) {
  const done: { decisionId: string; tappedAt: number | undefined }[] = [];
  for (let n = 0; !over.aborted; n++) {
    const { body } = await insist(fleet, retry, '/v1/decisioning/decide', `${name}-${n}`, {
      // All clients use the same user at a time, so that they compete for its cap.
      hashId: `user-${Math.floor(performance.now() / USER_MS)}`,
      guardrails: { maxDailyContacts: CAP },
    });
    const { decisionId, action } = JSON.parse(body);
    const chosen = action.type !== 'none';
    if (chosen)
      await insist(fleet, retry, `/v1/messages/${decisionId}/outcomes`, `${name}-${n}-tap`, {
        type: 'clicked',
      });
    done.push({ decisionId, tappedAt: chosen ? Date.now() : undefined });
    await sleep(20);
  }
  return done;
}

/** Sends a request under one idempotency key until the answer is not a server error; calls `retry` before each repetition. */
async function insist(fleet: Fleet, retry: () => void, path: string, key: string, body: object) {
  for (;;) {
    try {
      const answer = await fetch(fleet.url + path, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${fleet.apiKey}`,
          'x-service-workspace': fleet.workspace,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(10_000),
      });
      const text = await answer.text();
      if (answer.status < 500) return { status: answer.status, body: text };
    } catch {
      // No answer: retry with the same key.
    }
    retry();
    await sleep(50);
  }
}

interface Delivery {
  readonly deliveryId: string;
  readonly decisionId: string;
}

const deliveriesOf = (receiver: Receiver) =>
  receiver.received.map(({ body }) => JSON.parse(String(body)) as Delivery);

async function delivered(receiver: Receiver, wanted: ReadonlySet<string>): Promise<void> {
  const arrived = () => new Set(deliveriesOf(receiver).map(({ decisionId }) => decisionId));
  while ([...wanted].some((id) => !arrived().has(id))) await receiver.waitFor(receiver.received.length + 1);
}

async function nothingDue(database: string, workspace: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const open = async () => {
    const { rows } = await client.query(
      'SELECT count(*)::int AS n FROM delivery WHERE workspace_id = $1 AND due_at IS NOT NULL',
      [workspace],
    );
    return rows[0].n > 0;
  };
  while (await open()) await sleep(100);
  await client.end();
}

async function factsOf(database: string, workspace: string) {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const events = await client.query(
    'SELECT count(*)::int AS stored, count(DISTINCT user_id)::int AS different FROM event WHERE workspace_id = $1',
    [workspace],
  );
  // Only the users of the load: a test may request decisions for others.
  const decisions = await client.query(
    "SELECT count(*)::int AS n FROM decision WHERE workspace_id = $1 AND hash_id LIKE 'user-%'",
    [workspace],
  );
  const deliveries = await client.query('SELECT count(*)::int AS n FROM delivery WHERE workspace_id = $1', [
    workspace,
  ]);
  const contacts = await client.query(
    `SELECT count(*)::int AS n FROM contact WHERE workspace_id = $1 AND hash_id LIKE 'user-%'
     GROUP BY hash_id, to_char(to_timestamp(at_ms / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
    [workspace],
  );
  await client.end();
  return {
    stored: events.rows[0].stored as number,
    distinct: events.rows[0].different as number,
    decisionsStored: decisions.rows[0].n as number,
    deliveriesStored: deliveries.rows[0].n as number,
    contacts: contacts.rows.map(({ n }) => n as number),
  };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
