/**
 * How long POST /v1/decisioning/decide takes while events pour in: `svc serve` with 100 contents (or the number given) and 100,000 users,
 * 600 decisions a minute and 83 batches of 1,000 events a second on the same machine, limits off. Requests leave at
 * their times whatever the answers do (no coordinated omission). With `postgres`, on a PostgreSQL server of its own, which
 * writes to disk as it does by default. With `goals` or `apps`, 3,000 decisions a minute and 30 batches a second, and two loads in
 * turn: none of the events counts for a goal, or 1 %; no app polls, or 1,000 apps do, each every 30 seconds with the tag of the
 * answer before, as the SDK does. One in a hundred decisions is for the user of an app.
 * `npm run bench -- bench/decide-latency.ts [seconds] [contents] [sqlite|postgres] [goals|apps]`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'undici';
import { createDatabase, startPostgres } from '../test/support/postgres/postgres.ts';
import { appUser, poll, publishableKey, WITHOUT_CLIENT_LIMITS } from './support/apps.ts';
import { cpuOf } from './support/cpu-of.ts';
import { serve } from './support/serve.ts';

const SECONDS = Number(process.argv[2] ?? 60);
const USERS = 100_000;
const CONTENTS = Number(process.argv[3] ?? 100);
const server = process.argv[4] === 'postgres' ? await startPostgres({ durable: true }) : undefined;
/** Decisions and batches a second, how many events of a batch are of a goal, and whether apps poll. */
interface Load {
  readonly decisions: number;
  readonly batches: number;
  readonly orders?: number;
  readonly apps?: boolean;
}

const BESIDE: Load = { decisions: 50, batches: 30 };
/** Loads by what they have beside the decisions. */
const COMPARED: Record<string, Record<string, Load>> = {
  goals: { 'none of a goal': BESIDE, '1 % of a goal': { ...BESIDE, orders: 10 } },
  apps: { 'no apps': BESIDE, '1,000 apps': { ...BESIDE, apps: true } },
};
const kind = process.argv[5] ?? '';
const compared = COMPARED[kind] && Object.entries(COMPARED[kind]);
const ROUNDS = 6;
const APPS = 1000;
const POLL_SECONDS = 30;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
const catalog = join(folder, 'catalog.json');
writeFileSync(
  catalog,
  JSON.stringify({
    contents: Array.from({ length: CONTENTS }, (_, i) => contentOf(i)),
    ...(kind === 'goals'
      ? { goals: [{ goalId: 'order', event: 'order_completed', within: '7d', attribute: 'last' }] }
      : {}),
  }),
);

const database = server ? await createDatabase(server.admin) : join(folder, 'bench.db');
const service = await serve({
  database,
  home: folder,
  flags: ['--catalog', catalog, ...WITHOUT_CLIENT_LIMITS],
  program: 'bin/dev.js',
});
const { url, headers, pid, stop } = service;
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
  const nextPoll = kind === 'apps' ? await openApps(hashIds.slice(0, APPS)) : undefined;
  const run = (load: Load, seconds = SECONDS) => measure({ post, nextPoll, hashIds, load, seconds });
  if (compared) {
    const all = compared.map(([title, load]) => ({
      title: `with ${load.batches},000 events/s, ${title}`,
      load,
      measured: [] as Measured[],
    }));
    for (let round = 0; round < ROUNDS; round++)
      for (const { title, load, measured } of round % 2 ? all.toReversed() : all) {
        measured.push(await run(load));
        report(title, measured.at(-1)!);
      }
    for (const { title, measured } of all) report(`all ${title}`, together(measured));
  } else {
    report('idle', await run({ decisions: 10, batches: 0 }, Math.min(SECONDS, 30)));
    report('with 83,000 events/s', await run({ decisions: 10, batches: 83 }));
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

function surfaceOf(i: number): string {
  return `surface-${i % 5}`;
}

function decide(post: Post, hashId: string, i: number): Promise<string> {
  const body = {
    hashId,
    context: { channel: 'in-app', surface: surfaceOf(i), locale: i % 2 ? 'en-GB' : 'de-DE' },
    guardrails: { excludeCategories: [`category-${i % 10}`], maxDailyContacts: 50 },
  };
  return post('/v1/decisioning/decide', JSON.stringify(body));
}

/** Apps of users, each with a connection of its own, that have polled once. Returns a function by which the next one polls. */
async function openApps(hashIds: readonly string[]): Promise<() => Promise<number>> {
  const key = publishableKey(database);
  const apps: (() => Promise<number>)[] = [];
  for (const hashId of hashIds) {
    const [client, surface] = [new Client(url), surfaceOf(apps.length)];
    const user = await appUser(service, key, hashId);
    let { tag } = await poll(client, user, surface);
    apps.push(async () => {
      const answer = await poll(client, user, surface, tag);
      if (answer.status >= 400) throw new Error(`a poll was answered with ${answer.status}`);
      tag = answer.tag;
      return answer.status;
    });
  }
  let next = 0;
  return () => apps[next++ % apps.length]!();
}

async function measure({
  post,
  nextPoll,
  hashIds,
  load,
  seconds,
}: {
  readonly post: Post;
  readonly nextPoll: (() => Promise<number>) | undefined;
  readonly hashIds: readonly string[];
  readonly load: Load;
  readonly seconds: number;
}) {
  const cpuBefore = cpuOf(pid);
  const start = performance.now() + 100;
  const latencies: number[] = [];
  const ingest: number[] = [];
  const polls: number[] = [];
  let unchanged = 0;
  const pending: Promise<void>[] = [];
  const bodies = Array.from({ length: 20 }, (_, n) => batchBody(n, load.orders ?? 0));
  const feed = async (perSecond: number, into: number[], send: (i: number) => Promise<unknown>) => {
    for (let i = 0; i < seconds * perSecond; i++) {
      const due = start + (i * 1000) / perSecond;
      await until(due);
      pending.push(send(i).then(() => void into.push(performance.now() - due)));
    }
  };
  await Promise.all([
    feed(load.decisions, latencies, (i) => decide(post, hashIds[(i * 7919) % USERS]!, i)),
    feed(load.batches, ingest, (i) => post('/v1/events', bodies[i % bodies.length]!)),
    load.apps &&
      feed(APPS / POLL_SECONDS, polls, async () => {
        if ((await nextPoll!()) === 304) unchanged++;
      }),
  ]);
  await Promise.all(pending);
  const took = (performance.now() - start) / 1000;
  return { latencies, ingest, polls, unchanged, seconds: took, cores: (cpuOf(pid) - cpuBefore) / took };
}

/** Waits until a time of `performance.now()`. A timer may be a millisecond late, so the last two pass without one. */
async function until(due: number): Promise<void> {
  const wait = due - performance.now() - 2;
  if (wait > 0) await sleep(wait);
  while (performance.now() < due) await new Promise((resolve) => setImmediate(resolve));
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

/** Several measurements as one. */
function together(all: readonly Measured[]): Measured {
  const seconds = all.reduce((sum, each) => sum + each.seconds, 0);
  return {
    latencies: all.flatMap(({ latencies }) => latencies),
    ingest: all.flatMap(({ ingest }) => ingest),
    polls: all.flatMap(({ polls }) => polls),
    unchanged: all.reduce((sum, each) => sum + each.unchanged, 0),
    seconds,
    cores: all.reduce((sum, each) => sum + each.cores * each.seconds, 0) / seconds,
  };
}

function report(name: string, { latencies, ingest, polls, unchanged, seconds, cores }: Measured): void {
  const at = (values: number[], q: number) =>
    values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * q))]!.toFixed(1);
  const line = [`decide, ${name}: ${latencies.length} decisions`];
  for (const q of [0.5, 0.95, 0.99, 1]) line.push(`P${q * 100} ${at(latencies, q)} ms`);
  if (ingest.length > 0)
    line.push(
      `(${Math.round((ingest.length * 1000) / seconds).toLocaleString('en')} events/s taken, batch P95 ${at(ingest, 0.95)} ms)`,
    );
  if (polls.length > 0)
    line.push(`(${polls.length} polls, ${unchanged} answered with 304, P95 ${at(polls, 0.95)} ms)`);
  if (!Number.isNaN(cores)) line.push(`service on ${cores.toFixed(2)} cores`);
  console.log(line.join('  '));
}
