import { expect, it } from 'vitest';
import { ConcurrencyLimiter } from '../../src/kit/concurrency-limiter.ts';

const total = { key: 'total', max: 10 };
const host = { key: 'host', max: 4 };

it('takes no more slots than the tightest of several limits has free', () => {
  const limiter = new ConcurrencyLimiter();
  expect(limiter.tryAcquire([total, host], 3)).toBe(3);
  expect(limiter.tryAcquire([total, host], 3)).toBe(1);
  expect(limiter.tryAcquire([total, host], 3)).toBe(0);
  expect(limiter.tryAcquire([total], 20)).toBe(6);
  expect(limiter.tryAcquire([total], 1)).toBe(0);
});

it('gives a process its share of each limit, and one slot at least', () => {
  const limiter = new ConcurrencyLimiter(0.25);
  expect(limiter.tryAcquire([total], 20)).toBe(2);
  expect(limiter.tryAcquire([host], 20)).toBe(1);
  expect(limiter.tryAcquire([{ key: 'row' }], 20)).toBe(1);
});

it('takes released slots again', () => {
  const limiter = new ConcurrencyLimiter();
  limiter.tryAcquire([total, host], 4);
  limiter.release([total, host], 2);
  limiter.release([total, host]);
  expect(limiter.free([total, host])).toBe(3);
  expect(limiter.tryAcquire([total, host], 9)).toBe(3);
  limiter.release([total, host], 4);
  expect(limiter.tryAcquire([total], 20)).toBe(10);
});

it('takes no slot when none is wanted', () => {
  const limiter = new ConcurrencyLimiter();
  expect(limiter.tryAcquire([total], 0)).toBe(0);
  expect(limiter.tryAcquire([total], -1)).toBe(0);
  expect(limiter.tryAcquire([total], 20)).toBe(10);
});

it('lets at most `max` callers hold a key, in arrival order', async () => {
  const limiter = new ConcurrencyLimiter();
  const order: number[] = [];
  let holders = 0;
  let most = 0;
  await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const release = await limiter.acquire([{ key: 'a', max: 3 }], 5_000);
      order.push(i);
      most = Math.max(most, ++holders);
      await new Promise((resolve) => setImmediate(resolve));
      holders--;
      release!();
    }),
  );
  expect(most).toBe(3);
  expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
});

it('grants overlapping sets of keys to every caller, in any order and with repeated keys', async () => {
  const limiter = new ConcurrencyLimiter();
  const sets = ['ab', 'ba', 'bcb', 'cab', 'c'];
  const granted = await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      const release = await limiter.acquire(
        [...sets[i % sets.length]!].map((key) => ({ key })),
        5_000,
      );
      await new Promise((resolve) => setImmediate(resolve));
      release!();
      return true;
    }),
  );
  expect(granted).toHaveLength(50);
});

it('gives up after the timeout and releases what it had acquired', async () => {
  const limiter = new ConcurrencyLimiter();
  const release = await limiter.acquire([{ key: 'b' }], 5_000);
  expect(await limiter.acquire([{ key: 'a' }, { key: 'b' }], 20)).toBeUndefined();
  expect(limiter.free([{ key: 'a' }])).toBe(1);
  release!();
  expect(limiter.free([{ key: 'b' }])).toBe(1);
});
