import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { postgresLimiter } from '../../../../../src/service/platform/limits/postgres-limiter.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { postgresDatabase, tellTime } from '../../../../support/postgres/database.ts';

const HOUR = 3600_000;
const RULE = { limit: 10, windowMs: 60_000 };

/** Two nodes on a database whose clock can be changed, unlike their steady clocks. */
async function nodes() {
  const database = await postgresDatabase();
  let ahead = 0;
  const clock = { ...systemClock, now: () => Date.now() + ahead };
  const tell = await tellTime(database, clock);
  const open = async () => {
    const store = await PostgresStore.open(database, systemClock);
    onTestFinished(() => store.close());
    return postgresLimiter(store, () => performance.now());
  };
  const limiters = [await open(), await open()];
  return {
    ask: async (node: number) => (await limiters[node]!('ws', 'ingest', RULE)).verdict,
    open,
    set: (ms: number) => {
      ahead = ms;
      return tell();
    },
  };
}

it('a database clock set forward admits no additional requests, whichever node notices', async () => {
  const { ask, set } = await nodes();
  for (let i = 0; i < 10; i++) expect((await ask(i % 2)).admitted).toBe(true);
  await set(HOUR);
  for (const node of [0, 1, 0, 1]) {
    const verdict = await ask(node);
    expect(verdict.admitted).toBe(false);
    expect(verdict.retryAfter).toBeGreaterThan(30);
    expect(verdict.retryAfter).toBeLessThanOrEqual(60);
  }
});

it('a database clock set back neither blocks requests nor frees capacity early', async () => {
  const { ask, set } = await nodes();
  for (let i = 0; i < 9; i++) await ask(i % 2);
  await set(-HOUR);
  expect(await ask(1)).toMatchObject({ admitted: true, remaining: 0 });
  const full = await ask(0);
  expect(full.admitted).toBe(false);
  expect(full.retryAfter).toBeLessThanOrEqual(60);
});

it('a node that starts after the change agrees with the others', async () => {
  const { ask, open, set } = await nodes();
  for (let i = 0; i < 10; i++) await ask(0);
  await set(HOUR);
  expect((await ask(0)).admitted).toBe(false);
  const third = await open();
  expect((await third('ws', 'ingest', RULE)).verdict.admitted).toBe(false);
});

it('a clock set back while no node runs blocks requests for one window at most', async () => {
  const { ask, open, set } = await nodes();
  await set(HOUR);
  for (let i = 0; i < 10; i++) await ask(0);
  await set(0);
  const fresh = await open();
  const { verdict } = await fresh('ws', 'ingest', RULE);
  expect(verdict.admitted).toBe(false);
  expect(verdict.retryAfter).toBeLessThanOrEqual(60);
});
