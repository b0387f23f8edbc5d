import { expect, it } from 'vitest';
import { Precedence } from '../../../../src/service/platform/precedence.ts';
import { type Store, StoreUnavailable, type Tx } from '../../../../src/service/platform/store/store.ts';
import { recordResult } from '../../../../src/service/platform/workers/jobs.ts';

const clock = { now: () => 0, sleep: async () => {} };
const precedence = new Precedence();
/** A store that fails with the given errors before it works. */
const failing = (times: number, error: Error) => {
  let attempts = 0;
  const write: Store['write'] = async (work) => {
    if (attempts++ < times) throw error;
    return work({} as Tx);
  };
  return { store: { write } as Store, attempts: () => attempts };
};
const away = new StoreUnavailable('away', undefined);

it('stores a result once the store is available again', async () => {
  const { store, attempts } = failing(20, away);
  let done = 0;
  await recordResult({ store, clock, precedence }, new AbortController().signal, async () => void done++);
  expect([done, attempts()]).toEqual([1, 21]);
});

it('gives up if the store stays unavailable, fails for another reason, or the service stops', async () => {
  const never = failing(Number.POSITIVE_INFINITY, away);
  await expect(
    recordResult({ store: never.store, clock, precedence }, new AbortController().signal, async () => {}),
  ).rejects.toThrow(StoreUnavailable);
  expect(never.attempts()).toBeLessThan(1000);
  const broken = failing(1, new Error('broken'));
  await expect(
    recordResult({ store: broken.store, clock, precedence }, new AbortController().signal, async () => {}),
  ).rejects.toThrow('broken');
  const stopped = failing(Number.POSITIVE_INFINITY, away);
  await expect(
    recordResult({ store: stopped.store, clock, precedence }, AbortSignal.abort(), async () => {}),
  ).rejects.toThrow(StoreUnavailable);
  expect(stopped.attempts()).toBe(1);
});
