import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { Pool } from 'undici';
import { IDEMPOTENCY_TTL_MS } from '../../../src/contract/limits.ts';
import { systemClock } from '../../../src/kit/clock.ts';
import { seededRandom } from '../../../src/kit/random.ts';
import { killable } from '../process/killable.ts';
import { tempDir } from '../temp.ts';
import { CATEGORIES, CONTENTS, checkLog, START, type User, ZONES } from './decide-storm-check.ts';

export interface Storm {
  readonly decisions: number;
  readonly concurrency: number;
  /** How often the service is killed. */
  readonly kills: number;
  readonly users: number;
  /** Seconds of the service's clock per second. The test should last for several of its days. */
  readonly speed: number;
  readonly seed: string;
}

export interface StormReport {
  readonly answered: number;
  readonly lostAnswers: number;
  /** Requests repeated more than 24 hours of service time after the first attempt, when the key may have expired. */
  readonly late: number;
  readonly logged: number;
  readonly chosen: number;
  readonly none: number;
  /** Days on which a user reached the cap. */
  readonly daysAtCap: number;
  readonly zoneDays: number;
  readonly models: number;
  /** The violations as text; empty if there are none. */
  readonly broken: string[];
}

/**
 * Requests concurrent decisions for many users from the real service in another process, kills it repeatedly, and then
 * checks the answers and the log: no excluded category, no exceeded cap on any calendar day of any user, even when clocks
 * change, propensities that sum to 1 and match the choices, and no lost decision.
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
    let late = 0;
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
      const firstTry = systemClock.now();
      for (let attempt = 0; ; attempt++) {
        try {
          const { decisionId, action } = await send('/v1/decisioning/decide', body, `decide-${number}`);
          if (answered.has(decisionId)) broken.push(`decision ${decisionId} was answered twice`);
          if (attempt > 0 && (systemClock.now() - firstTry) * options.speed > IDEMPOTENCY_TTL_MS) late++;
          answered.set(decisionId, action.contentId || null);
          if (excludeCategories.length > 0) excluded.set(decisionId, excludeCategories);
          if (outcome && action.contentId !== '')
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
    return { answered: answered.size, lostAnswers, late, ...verdict, broken };
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}
