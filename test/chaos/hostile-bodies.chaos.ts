import { expect, test } from 'vitest';
import { diagnosisSeconds, HOSTILE_BODIES } from '../support/listen/hostile-bodies.ts';

test.each(Object.entries(HOSTILE_BODIES))('a body of 1 MiB of %s is diagnosed in bounded time', (_, make) => {
  // 16 MiB of variants, each hashed with a few keys; without the bound it took 9 s.
  expect(diagnosisSeconds(make(1024 * 1024))).toBeLessThan(5);
});
