import { expect, it } from 'vitest';
import { memoizedIterator } from '../../src/kit/memoized-iterator.ts';

it('yields the items any number of times, and produces each of them lazily and once', () => {
  const made: number[] = [];
  const walk = memoizedIterator(
    (function* () {
      for (let n = 0; n < 4; n++) {
        made.push(n);
        yield n;
      }
    })(),
  );
  for (const n of walk()) if (n === 1) break;
  expect(made).toEqual([0, 1]);
  expect([...walk()]).toEqual([0, 1, 2, 3]);
  expect([...walk()]).toEqual([0, 1, 2, 3]);
  expect(made).toEqual([0, 1, 2, 3]);
});
