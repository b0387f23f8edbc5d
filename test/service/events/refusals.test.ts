import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { Refusals, startRefusalWriter } from '../../../src/service/events/refusals.ts';
import { refusedBatches } from '../../../src/service/events/store/refused-batches.ts';
import { SqliteStore } from '../../../src/service/platform/store/sqlite/store.ts';
import { tempDir } from '../../support/temp.ts';

test('counts of refused requests that could not be stored are stored later', async () => {
  const store = await SqliteStore.open(join(tempDir(), 'service.db'), systemClock);
  onTestFinished(() => store.close());
  const refusals = new Refusals();
  const write = vi.spyOn(store, 'write').mockRejectedValueOnce(new Error('the disk is full'));
  const writer = startRefusalWriter(
    { store, clock: systemClock, log: () => {}, precedence: { yieldToRequests: async () => {} } as never },
    refusals,
  );
  onTestFinished(() => writer.stop());
  for (const id of ['w1', 'w1', 'w2']) refusals.note(id);
  writer.wake();
  await expect.poll(() => writer.idle()).toBe(true);
  expect(write.mock.calls.length).toBe(3);
  const counted = async (id: string) =>
    store.read(async (tx) => (await refusedBatches.between(tx, id, 0, tx.now)).map(({ n }) => n));
  expect(await counted('w1')).toEqual([2]);
  expect(await counted('w2')).toEqual([1]);
});
