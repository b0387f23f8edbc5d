import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isBeyondDoubt,
  NO_EVIDENCE,
  type Span,
  withSpan,
} from '../../../../src/service/decisions/goals/rules/gain-interval.ts';
import {
  doubtsOf,
  type GuardState,
  guardAfter,
} from '../../../../src/service/decisions/goals/rules/guard.ts';
import { firstVerdict, HARMFUL_WORLDS, HARMLESS_WORLDS } from '../../../support/goals/guard-worlds.ts';

const rule = fc.constantFrom('2 %', '5 %');
const digest = fc.constantFrom('text', 'another text');
const step = fc.record({ rule, digest, isWorse: fc.boolean() });

test('what is taken out stays so until the content or the guard changes, and is then judged by what it says', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      let state: GuardState | undefined;
      let at = 0;
      for (const { isWorse, ...now } of steps) {
        at += 10;
        const before = state;
        const looked: number[] = [];
        const after = guardAfter(before, { ...now, at, next: at + 5 }, (since) => {
          looked.push(since);
          return { isWorse, value: 0.3, holdout: 0.1 };
        });
        state = after;
        const wasOut = before !== undefined && before.removedAt !== null;
        const isOut = after !== undefined && after.removedAt !== null;
        if (wasOut && before.digest !== now.digest) {
          // Another content is compared by decisions from the next day on.
          expect(isOut).toBe(false);
          expect(after!.since).toBe(at + 5);
          expect(looked).toEqual([]);
        } else if (wasOut && before.rule === now.rule) {
          expect(after).toEqual(before);
          expect(looked).toEqual([]);
        } else {
          expect(isOut).toBe(isWorse);
          expect(looked).toEqual([before?.since ?? 0]);
          // Since when it has been out is not forgotten where another guard says the same.
          if (isOut) expect(after.removedAt).toBe(wasOut ? before.removedAt : at);
        }
        if (isOut) expect(after).toMatchObject({ ...now, value: 0.3, holdout: 0.1 });
        if (!before && !isWorse) expect(after).toBeUndefined();
      }
    }),
  );
});

test('the parts of all goals and contents add up to 5 %', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 1000 }), (goals, contents) => {
      const { learned, content } = doubtsOf({ goals, contents });
      expect(goals * (learned + contents * content)).toBeCloseTo(0.05, 9);
    }),
  );
});

test('rates that rise for all while the shares of a content rise are no evidence against it', () => {
  const sums = (served: number, rate: number) => ({
    served,
    value: served * rate,
    squares: served * rate,
    most: 1,
  });
  const early: Span = { one: sums(100, 0.01), other: sums(2000, 0.01) };
  const late: Span = { one: sums(5000, 0.2), other: sums(2000, 0.2) };
  const isWorse = (...spans: Span[]) =>
    isBeyondDoubt(
      spans.reduce((evidence, span) => withSpan(evidence, span, 0.01), NO_EVIDENCE),
      0.025,
    );
  expect(isWorse(early, late)).toBe(false);
  // What one comparison of all decisions would say.
  expect(isWorse({ one: sums(5100, 1001 / 5100), other: sums(4000, 420 / 4000) })).toBe(true);
  expect(isWorse({ ...early, one: sums(2000, 0.1) })).toBe(true);
});

test.each(HARMLESS_WORLDS)(
  '$name: of 20 worlds without harm, at most one has something taken out',
  (world) => {
    const verdicts = Array.from({ length: 20 }, (_, seed) => firstVerdict(world, 2000, `${seed}`));
    expect(verdicts.filter((verdict) => verdict !== undefined).length).toBeLessThanOrEqual(1);
  },
);

test('a content that converts three times as often, and a learned choice that does, are taken out', () => {
  const worldNamed = (name: string) => HARMFUL_WORLDS.find((world) => world.name === name)!;
  for (let seed = 0; seed < 3; seed++) {
    expect(firstVerdict(worldNamed('10 % to 30 %'), 15_000, `${seed}`)?.of).toBe(0);
    expect(firstVerdict(worldNamed('learned choice, 2 % to 6 %'), 20_000, `${seed}`)).toBeDefined();
  }
});
