import { expect, test } from 'vitest';
import { Delays, PartDelays } from '../../../../src/service/decisions/engine/delays.ts';

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

const rise = (part: string, to: number) => [{ part, from: 0, to }];

test('each part of the reward has delays of its own, however many the others have', () => {
  const made = new PartDelays();
  for (let i = 0; i < 50; i++) made.add(rise('order', 0.9), { ms: 100_000, decisions: 100 });
  for (let i = 0; i < 500; i++) made.add(rise('', 0.1), { ms: 1000, decisions: 1 });
  const soon = { ms: 1000, decisions: 1 };
  expect([made.haveSomePassed(0.75, soon), made.haveAllPassed(0.75, soon)]).toEqual([true, false]);
  const late = { ms: 100_000, decisions: 100 };
  expect([made.haveSomePassed(0.75, late), made.haveAllPassed(0.75, late)]).toEqual([true, true]);
});

test('a part that earns next to nothing, or no longer, is not waited for', () => {
  const made = new PartDelays();
  const soon = { ms: 1000, decisions: 1 };
  for (let i = 0; i < 100; i++) made.add(rise('', 0.6), soon);
  for (let i = 0; i < 3; i++) made.add(rise('rare', 0.1), { ms: 100_000, decisions: 100 });
  expect(made.haveAllPassed(0.95, soon)).toBe(true);
  for (let i = 0; i < 100; i++) made.add(rise('rare', 1), { ms: 100_000, decisions: 100 });
  expect(made.haveAllPassed(0.95, soon)).toBe(false);
  // A goal that the catalog no longer learns is taken back from what decisions earned.
  for (let i = 0; i < 100; i++) made.add([{ part: 'rare', from: 1, to: 0 }], soon);
  expect(made.haveAllPassed(0.95, soon)).toBe(true);
});

test('of many parts, those that earn most are kept', () => {
  const made = new PartDelays();
  for (let i = 1; i <= 100; i++) made.add(rise(`goal ${i}`, i), { ms: 1000, decisions: 1 });
  expect(made.parts.size).toBe(32);
  expect(made.parts.has('goal 99')).toBe(true);
});
