import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { indexOnce } from '../../../src/service/events/event-indexer.ts';
import { eventHeads } from '../../../src/service/events/store/event-heads.ts';
import { events } from '../../../src/service/events/store/events.ts';
import { recentEvents } from '../../../src/service/events/store/recent-events.ts';
import { SqliteStore } from '../../../src/service/platform/store/sqlite/store.ts';
import { eventBatch } from '../../support/events/batch.ts';
import { tempDir } from '../../support/temp.ts';

test('indexes earlier events in batches, and restarts when the names change in between', async () => {
  const store = await SqliteStore.open(join(tempDir(), 'events.db'), systemClock);
  onTestFinished(() => store.close());
  const send = (...names: string[]) =>
    store.write((tx) =>
      events.append(
        tx,
        'w',
        eventBatch(
          JSON.stringify({
            events: names.map((event) => ({ userId: 'u', event, timestamp: '2026-05-01T12:00:00Z' })),
          }),
        ),
      ),
    );
  const step = (...names: string[]) => store.write((tx) => indexOnce(tx, 'w', new Set(names), 2));
  const found = () =>
    store.read(async (tx) => {
      const spans = ['a', 'b', 'c'].map((event) => ({ key: event, event, since: 0, enough: 9 }));
      const counts = await recentEvents.count(tx, 'w', 'u', spans);
      return Object.fromEntries([...counts].filter(([, count]) => count > 0));
    });
  await store.write((tx) => createWorkspaceRows(tx, { id: 'w', region: null, mode: 'test' }));
  await send('a', 'b', 'a', 'c', 'a');

  expect(await step('a')).toBe(true);
  expect(await step('a')).toBe(true);
  expect(await found()).toEqual({ a: 1 });
  expect(await step('a', 'b')).toBe(true);
  expect(await found()).toEqual({});
  expect(await step('a', 'b')).toBe(true);
  expect(await step('a', 'b')).toBe(true);
  expect(await step('a', 'b')).toBe(false);
  expect(await found()).toEqual({ a: 3, b: 1 });
  expect(await step('a', 'b')).toBe(false);
  expect(await step('b')).toBe(false);
  expect(await found()).toEqual({ b: 1 });
  expect(await store.read((tx) => eventHeads.get(tx, 'w'))).toEqual({ number: 5, names: ['b'] });
  expect(await store.read((tx) => recentEvents.backlog(tx, 'w'))).toBeUndefined();
});
