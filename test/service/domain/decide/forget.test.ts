import { expect, test } from 'vitest';
import { forgetUser } from '../../../../src/service/domain/decide/forget.ts';
import { parseModel, serialiseModel } from '../../../../src/service/domain/decide/snapshot.ts';
import { keepPending } from '../../../../src/service/domain/decide/update.ts';
import { entry, learned } from './situations.ts';

test('what was learned of one user goes, and of others and all stays', () => {
  const log = Array.from({ length: 40 }, (_, i) =>
    entry(`c${i % 3}`, i % 2, { user: i % 4 < 2 ? 'erased' : 'other' }),
  );
  const model = learned(log);
  for (const [i, each] of log.slice(0, 8).entries()) keepPending(model, { ...each, decision: i }, 0);
  const of = (pending: string | null) => [...model.pending.values()].filter(({ user }) => user === pending);
  const pairs = model.personal.pairs.size;
  const [waiting, others] = [of('erased').length, of('other').length];
  expect(Math.min(waiting, others)).toBeGreaterThan(0);
  expect(forgetUser(model, 'erased')).toBe(true);
  expect(of('erased')).toEqual([]);
  expect(of(null).map(({ features }) => features.length)).toEqual(Array(waiting).fill(0));
  expect(of('other').length).toBe(others);
  expect(model.personal.pairs.size).toBeLessThan(pairs);
  expect(model.personal.pairs.size).toBeGreaterThan(0);
  const text = serialiseModel(model);
  expect(text).not.toContain('erased');
  // Sound, and nothing left to forget.
  expect(forgetUser(parseModel(text)!, 'erased')).toBe(false);
});
