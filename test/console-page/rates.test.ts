import { expect, test } from 'vitest';
import { addTick, lastSecond, ratesBefore } from '../../src/console-page/views/live/rates.ts';

const OPENED = '2026-03-20T10:20:07.600Z';
const second = (at: string) => Math.floor(Date.parse(at) / 1000);
const tick = (at: string, received: number) => ({
  type: 'tick' as const,
  at,
  received,
  matched: received,
  shown: received,
  untested: 0,
  next: '1',
});

test('the second in which a view is opened counts what was received before and after that', () => {
  const received = ['2026-03-20T10:20:05.100Z', '2026-03-20T10:20:06.100Z', '2026-03-20T10:20:07.100Z'];
  const before = ratesBefore(received, true, second(OPENED));
  const opened = addTick(before, tick(OPENED, 0), false);
  const later = addTick(opened, tick('2026-03-20T10:20:08.150Z', 1), true);
  // One event arrives each second: none has less.
  expect(later.slice(-4).map((rate) => rate.received)).toEqual([1, 1, 1, 1]);
  // The second that has begun is not told as the last one.
  expect(lastSecond(later)!.second).toBe(second(OPENED));
  const more = addTick(later, tick('2026-03-20T10:20:08.900Z', 2), true);
  expect(lastSecond(more)!.received).toBe(1);
  expect(more.at(-1)!.received).toBe(3);
});
