import { expect, it } from 'vitest';
import { type Store, StoreUnavailable, type Tx } from '../../../src/service/store/store.ts';
import { recordResult } from '../../../src/service/workers/record-result.ts';

const clock = { now: () => 0, sleep: async () => {} };
/** A store that fails in one way before it works. */
const failing = (times: number, error: Error) => {
  let attempts = 0;
  const write: Store['write'] = async (work) => {
    if (attempts++ < times) throw error;
    return work({} as Tx);
  };
  return { store: { write } as Store, attempts: () => attempts };
};
const away = new StoreUnavailable('away', undefined);

it('writes a result down once the store is back', async () => {
  const { store, attempts } = failing(20, away);
  let done = 0;
  await recordResult({ store, clock }, new AbortController().signal, async () => void done++);
  expect([done, attempts()]).toEqual([1, 21]);
});

it('gives up on a store that stays away, on one that fails otherwise, and when the service stops', async () => {
  const never = failing(Number.POSITIVE_INFINITY, away);
  await expect(
    recordResult({ store: never.store, clock }, new AbortController().signal, async () => {}),
  ).rejects.toThrow(StoreUnavailable);
  expect(never.attempts()).toBeLessThan(1000);
  const broken = failing(1, new Error('broken'));
  await expect(
    recordResult({ store: broken.store, clock }, new AbortController().signal, async () => {}),
  ).rejects.toThrow('broken');
  const stopped = failing(Number.POSITIVE_INFINITY, away);
  await expect(
    recordResult({ store: stopped.store, clock }, AbortSignal.abort(), async () => {}),
  ).rejects.toThrow(StoreUnavailable);
  expect(stopped.attempts()).toBe(1);
});
