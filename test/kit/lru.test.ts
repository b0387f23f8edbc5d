import { expect, test } from 'vitest';
import { Lru } from '../../src/kit/lru.ts';

test('keeps so many, and lets go of what was not asked for the longest', () => {
  const kept = new Lru<string, number>(2);
  kept.set('a', 1);
  kept.set('b', 2);
  expect(kept.get('a')).toBe(1);
  kept.set('c', 3);
  expect([kept.get('a'), kept.get('b'), kept.get('c'), kept.size]).toEqual([1, undefined, 3, 2]);
  for (let i = 0; i < 1000; i++) kept.set(`x${i}`, i);
  expect(kept.size).toBe(2);
});
