import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { seededRandom } from '../../src/kit/random.ts';
import { clientOf, type Fleet, startFleet } from './fleet.ts';
import { createDatabase, type OwnServer } from './postgres.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import type { SvcProgram } from './svc-process.ts';

export interface FleetKillOptions {
  readonly home: string;
  readonly seed: string;
  /** How often a node is killed. */
  readonly nodeKills: number;
  /** The pause before each, in ms, give or take a half. */
  readonly everyMs: number;
  /** How often PostgreSQL is killed, together with a node. */
  readonly serverKills: number;
  /** Events of each of the two importers; they should last until the last kill. */
  readonly events: number;
}

export interface FleetKillReport {
  readonly imported: { code: number | null; accepted: number; retries: number }[];
  readonly stored: number;
  readonly distinct: number;
  readonly decisions: number;
  /** Users with more contacts than their cap. */
  readonly overCap: number;
  /** Users that have as many as it allows: the cap was put to the test. */
  readonly atCap: number;
  readonly outcomes: number;
  /** Deliveries received more than once: the promise is at least once. */
  readonly repeated: number;
  /** From the end of the kills until every delivery was written down as made, those in hand at a kill too, in ms. */
  readonly takenOverMs: number;
  /** The longest from an outcome's acknowledgement to its delivery, in ms: kills, leases and all. */
  readonly slowestMs: number;
}

const NODES = 3;
const IMPORTERS = 2;
const USER_MS = 500;
const CAP = 3;
const SECRET = 'the secret of the fleet test';
const LIMITS_OFF = ['ingest', 'inform', 'decisions', 'reads', 'webhooks'].flatMap((group) => [
  '--limit',
  `${group}=off`,
]);

/** Import, decisions and deliveries on three nodes, while nodes and their PostgreSQL are killed and started again. */
export async function killFleet(
  program: SvcProgram,
  server: OwnServer,
  options: FleetKillOptions,
): Promise<FleetKillReport> {
  const random = seededRandom(options.seed);
  const database = await createDatabase(server.admin);
  // Slow, so that a kill finds deliveries in hand.
  const receiver = await startReceiver(
    (response) => void setTimeout(() => response.writeHead(204).end(), 400),
  );
  const fleet = await startFleet(program, {
    database,
    home: join(options.home, 'nodes'),
    nodes: NODES,
    argv: [...LIMITS_OFF, '--allow-loopback-webhooks'],
  });
  const created = await insist(fleet, '/v1/webhooks', 'webhook', {
    url: receiver.url,
    events: ['campaign.clicked'],
    signingSecret: SECRET,
  });
  if (created.status !== 201) throw new Error(`no subscription: ${created.status}`);

  const over = new AbortController();
  const importing = Array.from({ length: IMPORTERS }, (_, i) => importEvents(program, fleet, options, i));
  const acting = Array.from({ length: 4 }, (_, i) => actAsUsers(fleet, over.signal, `actor-${i}`));
  await breakThings(fleet, server, random, options);
  const lastKill = performance.now();
  over.abort();
  const acted = (await Promise.all(acting)).flat();
  const tapped = acted.filter(({ tappedAt }) => tappedAt !== undefined);
  await delivered(receiver, new Set(tapped.map(({ decisionId }) => decisionId)));
  await nothingDue(database);
  const takenOverMs = performance.now() - lastKill;
  const imported = await Promise.all(importing);
  await fleet.stop();
  await receiver.close();

  const facts = await factsOf(database);
  const received = deliveriesOf(receiver);
  return {
    imported,
    stored: facts.stored,
    distinct: facts.distinct,
    decisions: acted.length,
    overCap: facts.contacts.filter((n) => n > CAP).length,
    atCap: facts.contacts.filter((n) => n === CAP).length,
    outcomes: tapped.length,
    repeated: received.length - new Set(received.map(({ deliveryId }) => deliveryId)).size,
    takenOverMs: Math.round(takenOverMs),
    slowestMs: Math.max(
      ...tapped.map(({ decisionId, tappedAt }) => {
        const first =
          receiver.received[received.findIndex((delivery) => delivery.decisionId === decisionId)]!;
        return first.at - tappedAt!;
      }),
    ),
  };
}

async function importEvents(
  program: SvcProgram,
  fleet: Fleet,
  { home, events }: FleetKillOptions,
  importer: number,
) {
  const own = join(home, `importer-${importer}`);
  const env = clientOf(fleet, own);
  const lines = Array.from({ length: events }, (_, n) =>
    JSON.stringify({ userId: `${importer}-${n}`, event: 'e', timestamp: '2026-01-01T00:00:00Z' }),
  );
  writeFileSync(join(own, 'events.ndjson'), lines.join('\n'));
  const argv = [
    'events',
    'import',
    'events.ndjson',
    '--json',
    '--quiet',
    '--batch-size',
    '20',
    '--concurrency',
    '1',
  ];
  const { code, stdout, stderr } = await program.start([...argv, '--max-wait', '10m', '--timeout', '10'], {
    env,
    cwd: own,
  }).ended;
  if (stdout === '') throw new Error(`importer ${importer} ended with ${code}: ${stderr}`);
  const { accepted, retries } = JSON.parse(stdout);
  return { code, accepted, retries };
}

/** Decides for a few users under a cap, and taps what was chosen, as backends do that never give up. */
async function actAsUsers(fleet: Fleet, over: AbortSignal, name: string) {
  const done: { decisionId: string; tappedAt: number | undefined }[] = [];
  for (let n = 0; !over.aborted; n++) {
    const { body } = await insist(fleet, '/v1/decisioning/decide', `${name}-${n}`, {
      // All actors at one user, then at the next: they contend for its cap.
      hashId: `user-${Math.floor(performance.now() / USER_MS)}`,
      guardrails: { maxDailyContacts: CAP },
    });
    const { decisionId, action } = JSON.parse(body);
    const chosen = action.type !== 'none';
    if (chosen)
      await insist(fleet, `/v1/messages/${decisionId}/outcomes`, `${name}-${n}-tap`, { type: 'clicked' });
    done.push({ decisionId, tappedAt: chosen ? Date.now() : undefined });
    await sleep(20);
  }
  return done;
}

/** Sends one request under one key until a service answers it with anything but a failure of its own. */
async function insist(fleet: Fleet, path: string, key: string, body: object) {
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
      // No answer: the same request under the same key again.
    }
    await sleep(50);
  }
}

async function breakThings(
  fleet: Fleet,
  server: OwnServer,
  random: () => number,
  { nodeKills, everyMs, serverKills }: FleetKillOptions,
): Promise<void> {
  const withServer = Array.from({ length: serverKills }, (_, i) =>
    Math.floor(((i + 1) * nodeKills) / (serverKills + 1)),
  );
  for (let kill = 0; kill < nodeKills; kill++) {
    await sleep(everyMs * (0.5 + random()));
    const back = await fleet.kill(Math.floor(random() * NODES));
    if (withServer.includes(kill)) {
      await server.kill();
      await sleep(random() * 2000);
      await server.start();
    }
    await back();
  }
  await sleep(everyMs);
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

async function nothingDue(database: string): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const open = async () => {
    const { rows } = await client.query('SELECT count(*)::int AS n FROM delivery WHERE due_at IS NOT NULL');
    return rows[0].n > 0;
  };
  while (await open()) await sleep(100);
  await client.end();
}

async function factsOf(database: string) {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const events = await client.query(
    'SELECT count(*)::int AS stored, count(DISTINCT user_id)::int AS different FROM event',
  );
  const contacts = await client.query(
    "SELECT count(*)::int AS n FROM contact GROUP BY hash_id, to_char(to_timestamp(at_ms / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
  );
  await client.end();
  return {
    stored: events.rows[0].stored,
    distinct: events.rows[0].different,
    contacts: contacts.rows.map(({ n }) => n as number),
  };
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
