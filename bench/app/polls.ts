/**
 * Measures the processor time of a poll of an app that brings nothing new.
 * `npm run bench -- bench/app/polls.ts [POLLS] [PROGRAM]`
 *
 * The service is a separate process on a fresh SQLite file; PROGRAM is its `bin/run.js`, so that two versions can be compared.
 * The load runs in this process, in rounds of each kind in turn: users without a message and with one that was served before,
 * with the tag of the answer before, as the SDK asks, and without; and requests that do nothing, for comparison.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import {
  type AppUser,
  appUsers,
  call,
  poll,
  publishableKey,
  WITHOUT_CLIENT_LIMITS,
} from '../support/apps.ts';
import { cpuOf } from '../support/cpu-of.ts';
import { serve } from '../support/serve.ts';

const polls = Number(process.argv[2] ?? 20_000);
const program = process.argv[3];
const USERS = 500;
const AT_ONCE = 8;
const SURFACE = 'home';
const ROUNDS = 20;
const round3 = (ms: number) => Number(ms.toFixed(3));

const folder = mkdtempSync(join(tmpdir(), 'app-polls-'));
const database = join(folder, 'service.db');
const service = await serve({
  database,
  home: folder,
  program,
  flags: WITHOUT_CLIENT_LIMITS,
});
try {
  const users = await appUsers(service, publishableKey(database), USERS);
  for (const { hashId } of users.slice(0, USERS / 2))
    await call(service, 'POST', '/v1/decisioning/decide', {
      hashId,
      context: { channel: 'in-app', surface: SURFACE },
    });
  const pool = new Pool(service.url, { connections: AT_ONCE, pipelining: 1 });
  const tags = new Map<string, string>();
  const pollTagged = async (user: AppUser) => {
    const { status, tag } = await poll(pool, user, SURFACE, tags.get(user.hashId));
    if (tag !== undefined) tags.set(user.hashId, tag);
    return status;
  };
  const pollUntagged = async (user: AppUser) => (await poll(pool, user, SURFACE)).status;
  const nothing = async () => {
    const answer = await pool.request({ path: '/healthz', method: 'GET' });
    await answer.body.dump();
    return answer.statusCode;
  };
  const statuses = new Map<string, Map<number, number>>();
  /** The processor time of a request, in ms. */
  const cost = async (kind: string, send: (i: number) => Promise<number>, count: number) => {
    const before = cpuOf(service.pid);
    const counted = statuses.get(kind) ?? new Map<number, number>();
    statuses.set(kind, counted);
    let next = 0;
    const lane = async () => {
      while (next < count) {
        const status = await send(next++);
        counted.set(status, (counted.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return (1000 * (cpuOf(service.pid) - before)) / count;
  };
  const half = USERS / 2;
  const kinds: Record<string, (i: number) => Promise<number>> = {
    'GET /healthz': nothing,
    'no message, tag': (i) => pollTagged(users[half + (i % half)]!),
    'no message': (i) => pollUntagged(users[half + (i % half)]!),
    'a message, tag': (i) => pollTagged(users[i % half]!),
    'a message': (i) => pollUntagged(users[i % half]!),
  };
  // Serves what waits, and compiles the code.
  for (const [kind, send] of Object.entries(kinds)) await cost(`warm-up ${kind}`, send, 3000);
  const costs = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++)
    for (const [kind, send] of Object.entries(kinds)) {
      const each = await cost(kind, send, Math.ceil(polls / ROUNDS));
      costs.set(kind, [...(costs.get(kind) ?? []), each]);
    }
  for (const [kind, all] of costs) {
    const sorted = all.sort((a, b) => a - b);
    console.log(
      JSON.stringify({
        kind,
        cpuMs: { median: round3(sorted[sorted.length >> 1]!), least: round3(sorted[0]!) },
        answers: Object.fromEntries(statuses.get(kind)!),
      }),
    );
  }
  await pool.close();
} finally {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
}
