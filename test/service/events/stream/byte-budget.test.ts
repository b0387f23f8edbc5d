import { expect, test } from 'vitest';
import { ByteBudget } from '../../../../src/service/events/stream/byte-budget.ts';

test('makes users wait for available bytes, and serves them in order', async () => {
  const budget = new ByteBudget(100);
  expect(budget.take(80)).toBe(true);
  const turns: string[] = [];
  const large = budget.wait(90).then(() => turns.push('large'));
  const small = budget.wait(10).then(() => turns.push('small'));
  expect(budget.take(1)).toBe(false);
  budget.give(80);
  await Promise.all([large, small]);
  expect(turns).toEqual(['large', 'small']);
  budget.give(100);
  // More than the total: granted alone.
  expect(budget.take(1000)).toBe(true);
  expect(budget.take(1)).toBe(false);
});
