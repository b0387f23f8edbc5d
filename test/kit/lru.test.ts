import { expect, test } from 'vitest';
import { Lru } from '../../src/kit/lru.ts';

test('holds a limited number of entries and evicts the least recently used one', () => {
  const cache = new Lru<string, number>(2);
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([1, undefined, 3, 2]);
  for (let i = 0; i < 1000; i++) cache.set(`x${i}`, i);
  expect(cache.size).toBe(2);
});
