import { expect, test } from 'vitest';
import { Delays } from '../../../../src/service/decisions/engine/delays.ts';

const delays = (count: number) => {
  const made = new Delays();
  for (let i = 1; i <= count; i++) made.add({ ms: 1000 * i, decisions: i });
  return made;
};

test('without responses nothing waits', () => {
  expect(new Delays().havePassed(0.95, { ms: 0, decisions: 0 })).toBe(true);
});

test('a decision is as old as a share of the responses in time and in decisions', () => {
  const made = delays(40);
  expect(made.havePassed(0.75, { ms: 31_000, decisions: 31 })).toBe(true);
  expect(made.havePassed(0.75, { ms: 30_999, decisions: 31 })).toBe(false);
  expect(made.havePassed(0.75, { ms: 31_000, decisions: 30 })).toBe(false);
  expect(made.havePassed(0.95, { ms: 31_000, decisions: 31 })).toBe(false);
});

test('where traffic stops, time alone is enough', () => {
  expect(delays(40).havePassed(0.75, { ms: 23 * 31_000, decisions: 1 })).toBe(false);
  expect(delays(40).havePassed(0.75, { ms: 24 * 31_000, decisions: 1 })).toBe(true);
});

test('only recent responses matter, and a clock that was set back does no harm', () => {
  const made = delays(40);
  for (let i = 0; i < 63; i++) made.add({ ms: -5, decisions: 0 });
  expect(made.kept).toHaveLength(63);
  expect(made.havePassed(0.95, { ms: 0, decisions: 0 })).toBe(true);
});
