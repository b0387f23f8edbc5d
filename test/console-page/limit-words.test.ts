import { expect, test } from 'vitest';
import { nextLimit } from '../../src/console-page/views/limits/limit-words.ts';

const reads = {
  group: 'reads',
  covers: '',
  remaining: 0,
  nextFreeAt: null,
  seenAt: null,
  buckets: null,
} as const;

test.each([
  [60, 40, [120, 'twice the present limit']],
  [60, 121, [160, 'a quarter above the busiest minute (121), rounded up']],
  [4, 8, [10, 'a quarter above the busiest minute (8), rounded up']],
  [200, 250, [300, 'the ceiling of the group']],
  [200, 300, [380, 'a quarter above the busiest minute (300), rounded up']],
])('a limit of %s is raised above the %s requests of the busiest minute', (limit, most, next) => {
  expect(nextLimit({ ...reads, limit, used: 0, byMinute: [0, most, 3] })).toEqual(next);
});
