import { expect, it, vi } from 'vitest';
import { Precedence } from '../../../src/service/platform/precedence.ts';

const iteration = () => new Promise<void>((resolve) => setImmediate(resolve));

it('starts one piece of bulk work per iteration of the event loop, in the order of waiting', async () => {
  const precedence = new Precedence();
  const started: number[] = [];
  const pieces = [0, 1, 2].map((i) => precedence.yieldToRequests().then(() => started.push(i)));
  expect(started).toEqual([]);
  for (const expected of [[0], [0, 1], [0, 1, 2]]) {
    await iteration();
    expect(started).toEqual(expected);
  }
  await Promise.all(pieces);
});

it('starts no piece while a request is running, and the next one when the last request has ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  try {
    const precedence = new Precedence();
    const ends: (() => void)[] = [];
    const requests = [0, 1].map(() => precedence.during(() => new Promise<void>((end) => ends.push(end))));
    let started = false;
    const piece = precedence.yieldToRequests().then(() => {
      started = true;
    });
    for (let i = 0; i < 5; i++) await iteration();
    ends[0]!();
    await requests[0];
    for (let i = 0; i < 5; i++) await iteration();
    expect(started).toBe(false);
    ends[1]!();
    await requests[1];
    await piece;
    expect(started).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

it('starts a piece after a bounded time, however many requests there are, and after one that fails', async () => {
  const precedence = new Precedence();
  let end = () => {};
  const request = precedence.during(() => new Promise<void>((resolve) => (end = resolve)));
  // Without the bound, neither of them would ever start.
  await precedence.yieldToRequests();
  await precedence.yieldToRequests();
  end();
  await request;
  await expect(precedence.during(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await precedence.yieldToRequests();
});
