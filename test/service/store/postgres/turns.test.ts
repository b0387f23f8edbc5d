import { expect, it, onTestFinished, vi } from 'vitest';
import { Turns } from '../../../../src/service/store/postgres/turns.ts';
import { StoreUnavailable } from '../../../../src/service/store/store.ts';

it('lets as many hold a name as its width says, in the order in which they came', async () => {
  const turns = new Turns();
  const order: number[] = [];
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const done = await turns.take([{ name: 'a', width: 3 }]);
      order.push(i);
      most = Math.max(most, ++holders);
      await new Promise((resolve) => setImmediate(resolve));
      holders--;
      done();
    }),
  );
  expect(most).toBe(3);
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

it('gives several names to everybody in the end, whatever their order, also one that is named twice', async () => {
  const turns = new Turns();
  const sets = ['ab', 'ba', 'bcb', 'cab', 'c'];
  const taken = await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      const done = await turns.take([...sets[i % sets.length]!].map((name) => ({ name })));
      await new Promise((resolve) => setImmediate(resolve));
      done();
      return true;
    }),
  );
  expect(taken).toHaveLength(50);
});

it('gives up after five seconds, and gives back what it had', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const turns = new Turns();
  const hold = await turns.take([{ name: 'b' }]);
  const late = turns.take([{ name: 'a' }, { name: 'b' }]);
  late.catch(() => {});
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(late).rejects.toThrow(StoreUnavailable);
  (await turns.take([{ name: 'a' }]))();
  hold();
  (await turns.take([{ name: 'b' }]))();
});
