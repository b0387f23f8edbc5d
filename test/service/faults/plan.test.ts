import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MOST_RULES, Plan, type When } from '../../../src/service/faults/plan.ts';

const now = () => 1;

const hits = (rule: When, seed: string, length: number) => {
  const plan = new Plan([rule], seed, now);
  return Array.from({ length }, () => plan.next(() => true) !== undefined);
};

describe('a fault plan', () => {
  it('applies rules in ranges, cycles and bursts', () => {
    const shown = (rule: When) =>
      hits(rule, 's', 9)
        .map((hit) => (hit ? 'x' : '.'))
        .join('');
    expect(shown({})).toBe('xxxxxxxxx');
    expect(shown({ from: 3, to: 5 })).toBe('..xxx....');
    expect(shown({ every: 4 })).toBe('x...x...x');
    expect(shown({ from: 2, every: 4, burst: 2 })).toBe('.xx..xx..');
  });

  it('is reproducible by seed and as frequent as configured', () => {
    fc.assert(
      fc.property(fc.string(), fc.double({ min: 0.1, max: 0.9, noNaN: true }), (seed, chance) => {
        const first = hits({ chance }, seed, 2000);
        expect(hits({ chance }, seed, 2000)).toEqual(first);
        expect(Math.abs(first.filter(Boolean).length / 2000 - chance)).toBeLessThan(0.06);
        expect(hits({ chance }, `${seed}!`, 2000)).not.toEqual(first);
      }),
      { numRuns: 30 },
    );
  });

  it('gives every rule an independent random sequence', () => {
    const alone = new Plan([{ chance: 0.5, id: 'a' }], 's', now);
    const both = new Plan(
      [
        { chance: 0.5, id: 'a' },
        { chance: 0.5, id: 'b' },
      ],
      's',
      now,
    );
    for (let i = 0; i < 200; i++) {
      if (i % 3 === 0) both.next(({ id }) => id === 'b');
      expect(both.next(({ id }) => id === 'a')).toEqual(alone.next(() => true));
    }
  });

  it('takes rules that are added, replaced and removed, and keeps the numbers and counts of the others', () => {
    const plan = new Plan<When & { id: string }>([{ id: 'a' }, { id: 'b' }], 1, now);
    const used = () => plan.next(() => true)?.id;
    expect(used()).toBe('a');
    expect(plan.put({ id: 'c' })).toBe(true);
    const injected = plan.injected;
    expect(plan.remove(0)).toBe(true);
    expect(plan.injected).toBe(injected);
    expect(used()).toBe('b');
    expect(plan.put({ id: 'd', every: 2 }, 1)).toBe(true);
    expect([used(), used()]).toEqual(['d', 'c']);
    expect(plan.state()).toMatchObject([
      { index: 1, rule: { id: 'd' }, seen: 2, hits: 1, on: true },
      { index: 2, rule: { id: 'c' }, seen: 3, hits: 1, on: true },
    ]);
    expect([plan.remove(0), plan.switch(0, false), plan.put({ id: 'e' }, 0)]).toEqual([false, false, false]);
    expect(plan.put({ id: 'f' })).toBe(true);
    expect(plan.state().map(({ index }) => index)).toEqual([1, 2, 3]);
  });

  it('has a bounded number of rules, and uses the number of a removed one only where all are taken', () => {
    const plan = new Plan<When>([], 1, now);
    for (let i = 0; i < MOST_RULES; i++) expect(plan.put({})).toBe(true);
    expect(plan.put({})).toBe(false);
    plan.remove(7);
    for (let i = 0; i < 300; i++) {
      expect([plan.put({}), plan.put({})]).toEqual([true, false]);
      plan.remove(i % MOST_RULES);
    }
    expect(plan.state().length).toBe(MOST_RULES - 1);
  });

  it('counts what each rule matched and injected, also while it is switched off', () => {
    const plan = new Plan([{ every: 2 }, {}], 1, now);
    const rules = plan.state().map(({ rule }) => rule);
    expect(Array.from({ length: 4 }, () => rules.indexOf(plan.next(() => true)!))).toEqual([0, 1, 0, 1]);
    expect(plan.state().map(({ changedAt }) => changedAt)).toEqual([null, null]);
    expect(plan.switch(0, false)).toBe(true);
    expect(Array.from({ length: 2 }, () => rules.indexOf(plan.next(() => true)!))).toEqual([1, 1]);
    expect(plan.state()).toMatchObject([
      { seen: 6, hits: 2, on: false, changedAt: 1 },
      { seen: 6, hits: 4, on: true },
    ]);
    expect(plan.switch(2, true)).toBe(false);
  });
});
