import fc from 'fast-check';
import { expect, test } from 'vitest';
import { events } from '../../../src/service/events/store/events.ts';
import { recentEvents } from '../../../src/service/events/store/recent-events.ts';
import { cutoffOf } from '../../../src/service/platform/store/retained-logs.ts';
import { removals } from '../../../src/service/platform/store/retention/removals.ts';
import { eventBatch } from '../../support/events/batch.ts';
import { onPostgres } from '../../support/postgres/database.ts';
import { type AgedStore, agedStore, DAY_MS } from '../../support/retention/aged-store.ts';

const START = Date.UTC(2026, 0, 1);
const EVENTS = { events: 12 * DAY_MS, decisions: null, notifications: null, eventIds: null, outcomes: null };

/** Stores an event for each of the users of a workspace. */
async function ingest({ store }: AgedStore, workspaceId: string, userIds: readonly string[]) {
  await store.write(async (tx) => {
    const timestamp = new Date(tx.now).toISOString();
    const sent = userIds.map((userId) => ({ userId, event: 'seen', timestamp }));
    const { first } = await events.append(tx, workspaceId, eventBatch(JSON.stringify({ events: sent })));
    await recentEvents.add(
      tx,
      workspaceId,
      userIds.map((userId, i) => ({ number: first + i, userId, event: 'seen', at: tx.now })),
    );
  });
}

const stored = ({ store }: AgedStore, workspaceId: string) =>
  store.read(async (tx) => (await events.after(tx, workspaceId, 0, 10_000)).rows);

test('removes events by age, however the clock moved, and says up to which number', async () => {
  await fc.assert(
    fc.asyncProperty(
      // By how many hours the clock moves between batches: mostly on, sometimes back or far ahead.
      fc.array(
        fc.tuple(
          fc.oneof(
            { weight: 6, arbitrary: fc.integer({ min: 1, max: 60 }) },
            fc.integer({ min: -80, max: 500 }),
          ),
          fc.integer({ min: 1, max: 4 }),
        ),
        { minLength: 8, maxLength: 16 },
      ),
      async (moves) => {
        const aged = await agedStore(START);
        let now = START;
        let furthest = 0;
        const received = new Map<string, { number: number; at: number }[]>(
          aged.workspaces.map((id) => [id, []]),
        );
        for (const [hours, count] of moves) {
          now += hours * 3_600_000;
          await aged.to(now);
          for (const id of aged.workspaces) {
            const known = received.get(id)!;
            await ingest(
              aged,
              id,
              Array.from({ length: count }, (_, i) => `u${i}`),
            );
            for (let i = 0; i < count; i++) known.push({ number: known.length + 1, at: now });
          }
          await aged.clean(EVENTS);
          const cutoff = cutoffOf(now, EVENTS.events)!;
          furthest = Math.max(furthest, cutoff);
          for (const id of aged.workspaces) {
            const left = new Set((await stored(aged, id)).map(({ number }) => Number(number)));
            const removed = await aged.store.read((tx) => removals.of(tx, id, 'events'));
            const known = received.get(id)!;
            for (const { number } of known) {
              if (!left.has(number)) expect(number).toBeLessThanOrEqual(removed!.number);
              // It was never old enough, and no later one was.
              const old = known.some((other) => other.number >= number && other.at < furthest);
              if (!old) expect(left.has(number)).toBe(true);
            }
            // What is old goes, but for what is behind a row of a wrong time.
            const firstKept = known.findIndex(({ at }) => at >= cutoff && at <= now);
            for (const { number, at } of known.slice(0, Math.max(0, firstKept)))
              if (at < cutoff) expect(left.has(number)).toBe(false);
          }
        }
      },
    ),
    { numRuns: onPostgres ? 2 : 6 },
  );
});

/** The partitions of the event table with their rows; for SQLite the table itself. */
async function parts({ store }: AgedStore): Promise<Map<string, number>> {
  const names = onPostgres
    ? await store.read(({ sql }) =>
        sql.all<{ name: string }>(
          "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = to_regclass('event')",
        ),
      )
    : [];
  const tables = names.length === 0 ? ['event'] : names.map(({ name }) => name.split('.').at(-1)!);
  const counts = new Map<string, number>();
  for (const table of tables) {
    const row = await store.read(({ sql }) => sql.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`));
    counts.set(table, Number(row!.n));
  }
  return counts;
}

test('keeps a bounded number of partitions, and gives space back', async () => {
  const aged = await agedStore(START);
  const pages = async () => {
    const row = await aged.store.read(({ sql }) => sql.get<{ page_count: number }>('PRAGMA page_count'));
    return Number(row!.page_count);
  };
  // Up to a tenth of the file stays free for new rows, and some rows are kept.
  const most = onPostgres ? 0 : (await pages()) * 1.25;
  const long = 'x'.repeat(200);
  await ingest(
    aged,
    'ws_one',
    Array.from({ length: 2000 }, (_, i) => `${long}${i}`),
  );
  if (!onPostgres) expect(await pages()).toBeGreaterThan(most * 1.25);
  await expect.poll(() => aged.clean(EVENTS)).toEqual([]);
  for (let day = 1; day <= 40; day++) {
    await aged.to(START + day * DAY_MS);
    await ingest(aged, 'ws_one', ['u1', 'u2']);
    await expect.poll(() => aged.clean(EVENTS)).toEqual([]);
  }
  const left = await stored(aged, 'ws_one');
  expect(left.map(({ number }) => Number(number))).toEqual(Array.from({ length: 26 }, (_, i) => 2055 + i));
  const index = await aged.store.read((tx) =>
    tx.sql.get<{ n: number }>('SELECT count(*) AS n FROM recent_event'),
  );
  expect(Number(index!.n)).toBe(26);
  const counts = await parts(aged);
  if (onPostgres) {
    // What is kept, what comes next, and what fits nowhere.
    expect(counts.size).toBeLessThanOrEqual(18);
    expect(counts.get('event_other')).toBe(0);
    expect(counts.has('event_first')).toBe(false);
  } else {
    while (await aged.store.shrink());
    expect(await pages()).toBeLessThan(most);
  }
});
