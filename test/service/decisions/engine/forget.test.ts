import { expect, test } from 'vitest';
import { BIAS, expand, unpackFeatures } from '../../../../src/service/decisions/engine/features.ts';
import { forgetUser } from '../../../../src/service/decisions/engine/forget.ts';
import { parseModel, serialiseModel } from '../../../../src/service/decisions/engine/snapshot.ts';
import { countPending, keepPending } from '../../../../src/service/decisions/engine/update.ts';
import { entry, learned, NOW } from './situations.ts';

test('what was learned of one user goes, and of others and all stays', () => {
  const log = Array.from({ length: 40 }, (_, i) =>
    entry(`c${i % 3}`, i % 2, { user: i % 4 < 2 ? 'erased' : 'other' }),
  );
  const model = learned(log);
  for (const [i, each] of log.slice(0, 8).entries()) keepPending(model, { ...each, decision: i }, 0, []);
  const of = (pending: string | null) => [...model.pending.values()].filter(({ user }) => user === pending);
  const pairs = model.personal.pairs.size;
  const [waiting, others] = [of('erased').length, of('other').length];
  expect(Math.min(waiting, others)).toBeGreaterThan(0);
  expect(forgetUser(model, 'erased')).toBe(true);
  expect(of('erased')).toEqual([]);
  expect(of(null).map((each) => expand(each.compact))).toEqual(Array(waiting).fill([BIAS]));
  expect(of('other').length).toBe(others);
  expect(model.personal.pairs.size).toBeLessThan(pairs);
  expect(model.personal.pairs.size).toBeGreaterThan(0);
  const text = serialiseModel(model);
  expect(text).not.toContain('erased');
  // Sound, and nothing left to forget.
  expect(forgetUser(parseModel(text)!, 'erased')).toBe(false);
});

test('what was learned of a user before a content returned to its prior goes too', () => {
  const clicks = Array.from({ length: 300 }, () => entry('a', 1, { user: 'erased' }));
  const silence = Array.from({ length: 300 }, () => entry('a', 0, { user: 'erased' }));
  const model = learned([...clicks, ...silence]);
  expect(model.contents.get('a')!.epoch).toBeGreaterThan(0);
  expect(model.personal.pairs.size).toBeGreaterThan(1);
  expect(forgetUser(model, 'erased')).toBe(true);
  expect(model.personal.pairs.size).toBe(0);
});

test('decisions of erased users, which have no features, do not look like a drop of their content', () => {
  const rate = (i: number) => (i % 10 === 0 ? 1 : 0);
  const steady = Array.from({ length: 400 }, (_, i) => entry('a', rate(i)));
  const model = learned(steady);
  for (let i = 0; i < 200; i++)
    keepPending(model, { ...entry('a', 0, { user: 'erased' }), decision: i }, rate(i), [
      { part: '', from: 0, to: rate(i) },
    ]);
  forgetUser(model, 'erased');
  countPending(model, NOW + 86_400_000);
  expect([model.pending.size, model.contents.get('a')!.epoch]).toEqual([0, 0]);
  const erased = Array.from({ length: 200 }, (_, i) => entry('a', rate(i), { features: unpackFeatures([]) }));
  expect(learned(erased, model).contents.get('a')!.epoch).toBe(0);
});
