/**
 * How long POST /v1/decisioning/decide takes while events pour in: `svc serve` with 100 contents (or the number given) and 100,000 users,
 * 600 decisions a minute and 83 batches of 1,000 events a second on the same machine, limits off. Requests leave at
 * their times whatever the answers do (no coordinated omission). With `postgres`, on a PostgreSQL server of its own, which
 * writes to disk as it does by default. With `goals`, 3,000 decisions a minute and 30 batches a second: none of their events
 * counts for a goal, or 1 %, in turn. `npm run bench -- bench/decide-latency.ts [seconds] [contents] [sqlite|postgres] [goals]`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { createDatabase, startPostgres } from '../test/support/postgres/postgres.ts';
import { cpuOf } from './support/cpu-of.ts';
import { serve } from './support/serve.ts';

const SECONDS = Number(process.argv[2] ?? 60);
const USERS = 100_000;
const CONTENTS = Number(process.argv[3] ?? 100);
const server = process.argv[4] === 'postgres' ? await startPostgres({ durable: true }) : undefined;
const GOALS = process.argv[5] === 'goals';
const DECISIONS_PER_SECOND = GOALS ? 50 : 10;
const BATCHES_PER_SECOND = 83;
const GOAL_BATCHES_PER_SECOND = 30;
const GOAL_ROUNDS = 6;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const catalog = join(folder, 'catalog.json');
writeFileSync(
  catalog,
  JSON.stringify({
    contents: Array.from({ length: CONTENTS }, (_, i) => contentOf(i)),
    ...(GOALS
      ? { goals: [{ goalId: 'order', event: 'order_completed', within: '7d', attribute: 'last' }] }
      : {}),
  }),
);

const database = server ? await createDatabase(server.admin) : join(folder, 'bench.db');
const { url, headers, pid, stop } = await serve({
  database,
  home: folder,
  flags: ['--catalog', catalog],
  program: 'bin/dev.js',
});
try {
  const pool = new Pool(url, { connections: 32, pipelining: 1 });
  const post = async (path: string, body: string) => {
    const answer = await pool.request({ path, method: 'POST', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${text}`);
    return text;
  };

  const hashIds = await loadUsers(post);
  await warmUp(post, hashIds);
  if (GOALS) {
    const all = new Map<number, Measured[]>();
    for (let round = 0; round < GOAL_ROUNDS; round++)
      for (const orders of round % 2 ? [10, 0] : [0, 10]) {
        const measured = await measure(post, hashIds, SECONDS, GOAL_BATCHES_PER_SECOND, orders);
        report(titleOf(orders), measured);
        all.set(orders, [...(all.get(orders) ?? []), measured]);
      }
    for (const [orders, of] of all) report(`all ${titleOf(orders)}`, together(of));
  } else {
    report('idle', await measure(post, hashIds, Math.min(SECONDS, 30), 0));
    report(
      `with ${BATCHES_PER_SECOND},000 events/s`,
      await measure(post, hashIds, SECONDS, BATCHES_PER_SECOND),
    );
  }
  await pool.close();
} finally {
  await stop();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

type Post = (path: string, body: string) => Promise<string>;

async function loadUsers(post: Post): Promise<string[]> {
  const hashIds: string[] = [];
  for (let from = 0; from < USERS; from += 1000) {
    const users = Array.from({ length: 1000 }, (_, i) => ({
      userId: `user-${from + i}`,
      name: `Name ${from + i}`,
      phone: `+4930${from + i}`,
      timeZone: i % 2 ? 'Europe/Berlin' : 'America/New_York',
      traits: { plan: i % 3 ? 'free' : 'pro', age: 18 + (i % 60) },
    }));
    const answer = JSON.parse(await post('/v1/users', JSON.stringify({ users })));
    for (const { hashId } of answer.users) hashIds.push(hashId);
  }
  return hashIds;
}

/** Enough decisions and outcomes that every content has something learned and the code is compiled. */
async function warmUp(post: Post, hashIds: string[]): Promise<void> {
  for (let i = 0; i < 2000; i++) {
    const { decisionId } = JSON.parse(await decide(post, hashIds[i]!, i));
    if (i % 2) await post(`/v1/messages/${decisionId}/outcomes`, '{"type":"clicked"}');
  }
}

function decide(post: Post, hashId: string, i: number): Promise<string> {
  const body = {
    hashId,
    context: { channel: 'in-app', surface: `surface-${i % 5}`, locale: i % 2 ? 'en-GB' : 'de-DE' },
    guardrails: { excludeCategories: [`category-${i % 10}`], maxDailyContacts: 50 },
  };
  return post('/v1/decisioning/decide', JSON.stringify(body));
}

async function measure(post: Post, hashIds: string[], seconds: number, batches: number, orders = 0) {
  const cpuBefore = cpuOf(pid);
  const start = performance.now() + 100;
  const latencies: number[] = [];
  const ingest: number[] = [];
  const pending: Promise<void>[] = [];
  const timed = (into: number[], due: number, work: Promise<unknown>) =>
    pending.push(work.then(() => void into.push(performance.now() - due)));
  const bodies = Array.from({ length: 20 }, (_, n) => batchBody(n, orders));
  const feed = async (perSecond: number, send: (i: number, due: number) => void) => {
    for (let i = 0; i < seconds * perSecond; i++) {
      const due = start + (i * 1000) / perSecond;
      const wait = due - performance.now();
      if (wait > 0) await sleep(wait);
      send(i, due);
    }
  };
  await Promise.all([
    feed(DECISIONS_PER_SECOND, (i, due) =>
      timed(latencies, due, decide(post, hashIds[(i * 7919) % USERS]!, i)),
    ),
    batches === 0
      ? undefined
      : feed(batches, (i, due) => timed(ingest, due, post('/v1/events', bodies[i % bodies.length]!))),
  ]);
  await Promise.all(pending);
  const took = (performance.now() - start) / 1000;
  return { latencies, ingest, seconds: took, cores: (cpuOf(pid) - cpuBefore) / took };
}

/** A batch in which so many of the 1,000 events are of a goal. */
function batchBody(n: number, orders: number): string {
  const timestamp = new Date().toISOString();
  const events = Array.from({ length: 1000 }, (_, i) => ({
    // Those of orders have decisions.
    userId: `user-${(i < orders ? (n * 10 + i) * 7919 : n * 1000 + i) % USERS}`,
    event: i < orders ? 'order_completed' : i % 2 ? 'screen_viewed' : 'button_tapped',
    timestamp,
    properties: { screen: `screen-${i % 9}`, amount: i },
  }));
  return JSON.stringify({ events });
}

function contentOf(i: number) {
  return {
    contentId: `content-${i}`,
    category: `category-${i % 10}`,
    format: 'card',
    title: `Title ${i}`,
    body: `Body of content ${i}`,
    ...(i % 7 === 0 ? { eligibility: { traits: [{ trait: 'plan', equals: 'pro' }] } } : {}),
    ...(i % 11 === 0 ? { eligibility: { events: [{ event: 'purchase', withinDays: 30, atMost: 3 }] } } : {}),
  };
}

type Measured = Awaited<ReturnType<typeof measure>>;

function titleOf(orders: number): string {
  return `with ${GOAL_BATCHES_PER_SECOND},000 events/s, ${orders / 10} % of a goal`;
}

/** Several measurements as one. */
function together(all: readonly Measured[]): Measured {
  const seconds = all.reduce((sum, each) => sum + each.seconds, 0);
  return {
    latencies: all.flatMap(({ latencies }) => latencies),
    ingest: all.flatMap(({ ingest }) => ingest),
    seconds,
    cores: all.reduce((sum, each) => sum + each.cores * each.seconds, 0) / seconds,
  };
}

function report(name: string, { latencies, ingest, seconds, cores }: Measured): void {
  const at = (values: number[], q: number) =>
    values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))]!.toFixed(1);
  const line = [`decide, ${name}: ${latencies.length} decisions`];
  for (const q of [0.5, 0.95, 0.99, 1]) line.push(`P${q * 100} ${at(latencies, q)} ms`);
  if (ingest.length > 0)
    line.push(
      `(${Math.round((ingest.length * 1000) / seconds).toLocaleString('en')} events/s taken, batch P95 ${at(ingest, 0.95)} ms)`,
    );
  if (!Number.isNaN(cores)) line.push(`service on ${cores.toFixed(2)} cores`);
  console.log(line.join('  '));
}
