import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { Pool } from 'undici';
import { systemClock } from '../../src/kit/clock.ts';
import { seededRandom } from '../../src/kit/random.ts';
import { type LoggedDecision, decisions as log } from '../../src/service/store/decisions.ts';
import { SqliteStore } from '../../src/service/store/sqlite/store.ts';
import { killable } from './killable.ts';
import { tempDir } from './temp.ts';

export interface Storm {
  readonly decisions: number;
  readonly concurrency: number;
  /** How often the service is killed on the way. */
  readonly kills: number;
  readonly users: number;
  /** Seconds of the service's clock in one second; the storm should last over a few of its days. */
  readonly speed: number;
  readonly seed: string;
}

export interface StormReport {
  readonly answered: number;
  readonly lostAnswers: number;
  readonly logged: number;
  readonly chosen: number;
  readonly none: number;
  /** Days with as many contacts as the cap allows: the cap was put to the test. */
  readonly daysAtCap: number;
  readonly zoneDays: number;
  readonly models: number;
  /** Each broken promise in words; empty where all held. */
  readonly broken: string[];
}

const CATEGORIES = ['a', 'b', 'c', 'd', 'e'];
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'America/Santiago',
  'Australia/Lord_Howe',
  undefined,
];
/** The evening before the clocks change in Berlin; Santiago and Lord Howe follow a week later. */
const START = Date.parse('2026-03-28T18:00:00Z');
const CONTENTS = Array.from({ length: 15 }, (_, i) => ({
  contentId: `c${i}`,
  category: CATEGORIES[i % 5]!,
  format: 'card',
  title: 'T',
  body: 'B',
  ...(i % 4 === 3 ? { channels: ['push'] } : {}),
}));
const BY_ID = new Map(CONTENTS.map((content) => [content.contentId, content]));

interface User {
  readonly userId: string;
  readonly timeZone: string | undefined;
  readonly cap: number | undefined;
  hashId: string;
}

/**
 * Decides for many users at once on the real service in another process, kills it on the way, and then checks every
 * promise against the answers and the log: no excluded category, no broken cap on any calendar day of any user, also
 * over nights when clocks change, propensities that sum to 1 and match what was chosen, no answered decision lost.
 */
export async function storm(options: Storm): Promise<StormReport> {
  const random = seededRandom(options.seed);
  const folder = tempDir();
  const catalog = join(folder, 'catalog.json');
  writeFileSync(catalog, JSON.stringify({ contents: CONTENTS }));
  const database = join(folder, 'storm.db');
  const program = await killable<{ url: string; workspace: string; apiKey: string }>(
    resolve(import.meta.dirname, 'decide-storm-service.ts'),
  );
  const argument = {
    ...{ database, catalog, speed: options.speed },
    ...{ virtualStart: START, realStart: systemClock.now(), port: await freePort() },
  };
  const broken: string[] = [];
  try {
    const { url, workspace, apiKey } = await program.start(argument);
    const pool = new Pool(url, { connections: options.concurrency });
    const send = async (path: string, body: unknown, key?: string) => {
      const answer = await pool.request({
        path,
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'x-service-workspace': workspace,
          'content-type': 'application/json',
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        body: JSON.stringify(body),
      });
      const text = await answer.body.text();
      if (answer.statusCode >= 300) throw new Error(`${answer.statusCode} ${text}`);
      return JSON.parse(text);
    };
    const users = await makeUsers(options, random, send);
    const answered = new Map<string, string | null>();
    const excluded = new Map<string, string[]>();
    let lostAnswers = 0;
    let sent = 0;
    let down: Promise<unknown> = Promise.resolve();
    const killAt = new Set(
      Array.from({ length: options.kills }, (_, i) =>
        Math.floor(((i + 0.3 + 0.4 * random()) * options.decisions) / options.kills),
      ),
    );

    const one = async () => {
      const number = sent++;
      if (killAt.has(number)) down = program.kill().then(() => program.start(argument));
      const user = users[Math.floor(random() * users.length)]!;
      const excludeCategories = CATEGORIES.filter(() => random() < 0.3);
      const body = {
        hashId: user.hashId,
        context: { channel: 'in-app', surface: `s${Math.floor(random() * 3)}` },
        guardrails: {
          excludeCategories,
          ...(user.cap === undefined ? {} : { maxDailyContacts: user.cap }),
        },
      };
      const outcome = random() < 0.1 ? 'clicked' : undefined;
      for (let attempt = 0; ; attempt++) {
        try {
          const { decisionId, action } = await send('/v1/decisioning/decide', body, `decide-${number}`);
          if (answered.has(decisionId)) broken.push(`decision ${decisionId} was answered twice`);
          answered.set(decisionId, action.contentId);
          if (excludeCategories.length > 0) excluded.set(decisionId, excludeCategories);
          if (outcome && action.contentId !== null)
            await send(`/v1/messages/${decisionId}/outcomes`, { type: outcome }).catch(() => undefined);
          return;
        } catch (error) {
          if (/^\d{3} /.test((error as Error).message) && !(error as Error).message.startsWith('503'))
            throw error;
          lostAnswers++;
          if (attempt > 200) throw error;
          await down;
        }
      }
    };
    await Promise.all(
      Array.from({ length: options.concurrency }, async () => {
        while (sent < options.decisions) await one();
      }),
    );
    await down;
    await program.kill();
    await pool.destroy();

    const verdict = await checkLog(database, workspace, users, answered, excluded, broken);
    return { answered: answered.size, lostAnswers, ...verdict, broken };
  } finally {
    await program.release();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function makeUsers(
  { users: count }: Storm,
  random: () => number,
  send: (path: string, body: unknown) => Promise<{ users: { hashId: string }[] }>,
): Promise<User[]> {
  const users: User[] = Array.from({ length: count }, (_, i) => ({
    userId: `u${i}`,
    timeZone: ZONES[i % ZONES.length],
    cap: random() < 0.6 ? Math.floor(random() * 6) : undefined,
    hashId: '',
  }));
  for (let from = 0; from < count; from += 1000) {
    const part = users.slice(from, from + 1000);
    const answer = await send('/v1/users', {
      users: part.map(({ userId, timeZone }) => ({ userId, ...(timeZone ? { timeZone } : {}) })),
    });
    for (const [i, user] of part.entries()) user.hashId = answer.users[i]!.hashId;
  }
  return users;
}

async function checkLog(
  database: string,
  workspace: string,
  users: readonly User[],
  answered: ReadonlyMap<string, string | null>,
  excluded: ReadonlyMap<string, string[]>,
  broken: string[],
) {
  const byHashId = new Map(users.map((user) => [user.hashId, user]));
  const perDay = new Map<string, number>();
  const dates = new Map(ZONES.map((zone) => [zone, dateIn(zone)]));
  const zoneDays = new Set<string>();
  const expected = new Map<string, { sum: number; variance: number; seen: number }>();
  const models = new Set<number>();
  let logged = 0;
  let chosen = 0;
  let found = 0;
  const check = (decision: LoggedDecision) => {
    const { decisionId, contentId, candidates } = decision;
    logged++;
    if (answered.has(decisionId)) {
      found++;
      if (answered.get(decisionId) !== contentId)
        broken.push(`${decisionId} was answered otherwise than logged`);
    }
    models.add(decision.modelVersion);
    for (const candidate of candidates) {
      const content = BY_ID.get(candidate.contentId)!;
      if (excluded.get(decisionId)?.includes(content.category))
        broken.push(`${decisionId} considers the excluded category ${content.category}`);
      if (content.channels) broken.push(`${decisionId} considers ${content.contentId} for another channel`);
    }
    if (contentId === null) return;
    chosen++;
    const total = candidates.reduce((sum, { propensity }) => sum + propensity, 0);
    if (Math.abs(total - 1) > 1e-9) broken.push(`${decisionId}: propensities sum to ${total}`);
    for (const { contentId: id, propensity: p } of candidates) {
      const tally = expected.get(id) ?? { sum: 0, variance: 0, seen: 0 };
      tally.sum += p;
      tally.variance += p * (1 - p);
      if (id === contentId) tally.seen++;
      expected.set(id, tally);
    }
    const user = byHashId.get(decision.hashId)!;
    const date = dates.get(user.timeZone)!(decision.at);
    zoneDays.add(`${user.timeZone} ${date}`);
    const key = `${user.userId} ${date}`;
    perDay.set(key, (perDay.get(key) ?? 0) + 1);
  };
  const store = await SqliteStore.open(database, systemClock);
  try {
    for (let after = 0; ; ) {
      const page = await store.read((tx) => log.after(tx, workspace, after, 5000));
      if (page.length === 0) break;
      page.forEach(check);
      after = page.at(-1)!.seq;
    }
  } finally {
    await store.close();
  }
  if (found !== answered.size) broken.push(`${answered.size - found} answered decisions are not in the log`);
  let daysAtCap = 0;
  for (const user of users) {
    if (user.cap === undefined) continue;
    for (const zoneDay of zoneDays) {
      const [zone, date] = zoneDay.split(' ') as [string, string];
      if (zone !== String(user.timeZone)) continue;
      const contacts = perDay.get(`${user.userId} ${date}`) ?? 0;
      if (contacts > user.cap)
        broken.push(`${user.userId} had ${contacts} contacts on ${date}, cap ${user.cap}`);
      if (contacts === user.cap && user.cap > 0) daysAtCap++;
    }
  }
  for (const [id, { sum, variance, seen }] of expected) {
    const off = (seen - sum) / Math.sqrt(variance);
    if (Math.abs(off) > 5)
      broken.push(
        `${id} was chosen ${seen} times, its propensities say ${sum.toFixed(0)} (${off.toFixed(1)} sd)`,
      );
  }
  return { logged, chosen, none: logged - chosen, daysAtCap, zoneDays: zoneDays.size, models: models.size };
}

/** The calendar date of an instant, by another way than the service's. */
function dateIn(zone: string | undefined): (at: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone ?? 'UTC', dateStyle: 'short' });
  const known = new Map<number, string>();
  return (at) => {
    // No zone changes its date within a minute.
    const minute = Math.floor(at / 60_000);
    const date = known.get(minute) ?? format.format(minute * 60_000);
    known.set(minute, date);
    return date;
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
