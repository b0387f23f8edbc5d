import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { windowOf } from '../../../../src/service/catalog/content.ts';
import { EXPLORATION_SHARE } from '../../../../src/service/catalog/placement.ts';
import { alternativesOf, decide } from '../../../../src/service/decisions/engine/decide.ts';
import { content, entry, ids, learned, NOW, situation } from './situations.ts';

describe('eligibility', () => {
  test('channel, surface and locale, where the caller names them', () => {
    const contents = [
      content('push', { channels: ['push'] }),
      content('cart', { surfaces: ['cart'] }),
      content('german', { locales: ['de'] }),
      content('english', { locales: ['en'] }),
      content('british', { locales: ['EN-gb'] }),
      content('australian', { locales: ['en-AU'] }),
    ];
    expect(ids(situation({ contents }))).toEqual(['english', 'british']);
    expect(ids(situation({ contents, context: {} }))).toHaveLength(6);
  });

  test('active dates hold from the first instant and end before the last', () => {
    const contents = [content('a', { activeFrom: NOW, activeUntil: NOW + 1 })];
    expect(ids(situation({ contents }))).toEqual(['a']);
    expect(ids(situation({ contents, now: NOW - 1 }))).toEqual([]);
    expect(ids(situation({ contents, now: NOW + 1 }))).toEqual([]);
  });

  test('traits', () => {
    const contents = [
      content('equals', { traits: [{ trait: 'plan', equals: 'pro' }] }),
      content('oneOf', { traits: [{ trait: 'plan', oneOf: ['free', 'pro'] }] }),
      content('adult', { traits: [{ trait: 'age', atLeast: 18, atMost: 99 }] }),
      content('absent', { traits: [{ trait: 'plan', exists: false }] }),
      content('inherited', { traits: [{ trait: 'constructor', exists: true }] }),
    ];
    const events = new Map();
    expect(ids(situation({ contents, audience: { traits: { plan: 'pro', age: 18 }, events } }))).toEqual([
      'equals',
      'oneOf',
      'adult',
    ]);
    expect(ids(situation({ contents, audience: { traits: { age: '18' }, events } }))).toEqual(['absent']);
  });

  test('recent events', () => {
    const contents = [
      content('bought', { events: [{ event: 'purchase', withinDays: 7, atLeast: 2 }] }),
      content('not', { events: [{ event: 'purchase', withinDays: 1, atMost: 0 }] }),
    ];
    const week = windowOf({ event: 'purchase', withinDays: 7 });
    const day = windowOf({ event: 'purchase', withinDays: 1 });
    const events = new Map([[week, 2]]);
    expect(ids(situation({ contents, audience: { traits: {}, events } }))).toEqual(['bought', 'not']);
    const others = new Map([
      [week, 1],
      [day, 1],
    ]);
    expect(ids(situation({ contents, audience: { traits: {}, events: others } }))).toEqual([]);
  });
});

test('a reason is bounded, however many rules a catalog has', () => {
  const name = (n: number) => `${n} ${'x'.repeat(190)}`;
  const contents = Array.from({ length: 500 }, (_, n) =>
    content(name(n), { traits: [{ trait: name(n), equals: 1 }], events: [] }),
  );
  const none = decide(situation({ contents })).reason;
  expect(none).toMatch(/495 more rules removed 495 contents\.$/);
  expect(none.length).toBeLessThan(3_000);
  const traits = Array.from({ length: 50 }, (_, n) => ({ trait: name(n), exists: false }));
  const { reason } = decide(situation({ contents: [content('a', { traits })] }));
  expect(reason).toMatch(/^Eligible .* and 48 more; the only candidate/);
  expect(reason.length).toBeLessThan(1_000);
});

describe('the reason if nothing is eligible', () => {
  test('names the rule and the guardrail', () => {
    const contents = [content('a', { channels: ['push'] }), content('b', { category: 'promo' })];
    const choice = decide(situation({ contents, guardrails: { excludeCategories: ['promo'] } }));
    expect(choice).toEqual({
      chosen: null,
      candidates: [],
      features: [],
      policy: 'learned',
      explanation: null,
      reason: 'Nothing chosen: the channel removed a; excludeCategories (promo) removed b.',
      removed: [
        { rule: 'channel', count: 1, contentIds: ['a'] },
        { rule: 'category', name: 'promo', count: 1, contentIds: ['b'] },
      ],
    });
  });

  test('names the cap and an empty catalog', () => {
    const capped = { excludeCategories: [], maxDailyContacts: 2 };
    expect(decide(situation({ guardrails: capped, contactsToday: 2 })).reason).toBe(
      'Nothing chosen: maxDailyContacts 2 is reached, the user had 2 contacts today.',
    );
    const misspelled = { excludeCategories: ['ofers'], maxDailyContacts: 2 };
    expect(decide(situation({ guardrails: misspelled, contactsToday: 2 })).reason).toMatch(
      /had 2 contacts today\. Warning: no content is in the excluded category ofers\.$/,
    );
    expect(decide(situation({ guardrails: capped, contactsToday: 1 })).chosen).not.toBeNull();
    expect(
      decide(situation({ guardrails: { excludeCategories: [], maxDailyContacts: 0 } })).chosen,
    ).toBeNull();
    expect(decide(situation({ contents: [] })).reason).toMatch(/holds no content/);
  });
});

describe('the choice', () => {
  test('the reason names the feature with the largest effect', () => {
    const outcomes = Array.from({ length: 40 }, (_, i) => [
      entry('a', 1, { context: { surface: 'home' } }),
      entry('a', 0, { context: { surface: i % 2 ? 'cart' : 'search' } }),
    ]).flat();
    const model = learned(outcomes);
    const choice = decide(situation({ contents: [content('a')], context: { surface: 'home' }, model }));
    expect(choice.reason).toBe(
      'Eligible on home; the only candidate; learned from 80 outcomes, surface home speaks for it.',
    );
    expect(choice.chosen!.ranking).toBeGreaterThan(0.7);
    expect(decide(situation()).reason).toMatch(/no outcomes yet, ranked by its prior\.$/);
  });

  test('the reason says why a content without outcomes is not ranked as its prior says', () => {
    const outcomes = Array.from({ length: 60 }, () => entry('a', 1, { context: { surface: 'home' } }));
    const model = learned(outcomes);
    const choice = decide(situation({ contents: [content('new')], context: { surface: 'home' }, model }));
    const { ranking } = choice.chosen!;
    expect(Math.abs(ranking - content('new').prior)).toBeGreaterThan(0.01);
    expect(choice.reason).toContain(
      `no outcomes yet: its prior is ${content('new').prior}, what others earned here makes it ${Number(ranking.toFixed(3))}`,
    );
  });

  test('a content without outcomes ranks by its prior in any context', () => {
    const places: Record<string, string>[] = [
      {},
      { surface: 'home' },
      { channel: 'a', surface: 'b', locale: 'c' },
    ];
    for (const context of places) {
      const contents = [0.02, 0.1, 0.5, 0.9].map((prior, i) => content(`p${i}`, { prior }));
      const { candidates } = decide(situation({ contents, context }));
      expect(candidates.map((c) => c.ranking)).toEqual([0.02, 0.1, 0.5, 0.9]);
    }
    expect(decide(situation()).reason).toMatch(/ranked first of 3, level with 2;/);
  });

  test('alternatives are sorted best first, without the chosen content', () => {
    const contents = [
      content('a', { prior: 0.1 }),
      content('b', { prior: 0.3 }),
      content('c', { prior: 0.2 }),
    ];
    const choice = decide(situation({ contents }));
    const order = ['b', 'c', 'a'].filter((id) => id !== choice.chosen!.contentId);
    expect(alternativesOf(choice, 3).map((c) => c.contentId)).toEqual(order);
    expect(alternativesOf(choice, 1)).toHaveLength(1);
  });

  test('the same situation and seed give the same choice', () => {
    const contents = Array.from({ length: 20 }, (_, i) => content(`c${i}`));
    const of = (seed: string) => decide(situation({ contents, seed }));
    expect(of('one')).toEqual(of('one'));
    expect(new Set(Array.from({ length: 50 }, (_, i) => of(`${i}`).chosen!.contentId)).size).toBeGreaterThan(
      5,
    );
  });

  test('actions are drawn with their propensities', () => {
    const model = learned([
      ...Array.from({ length: 30 }, (_, i) => entry('a', i % 3 === 0 ? 1 : 0)),
      ...Array.from({ length: 30 }, (_, i) => entry('b', i % 4 === 0 ? 1 : 0)),
    ]);
    const rounds = 20_000;
    const expected = new Map<string, number>();
    const observed = new Map<string, number>();
    let variance = 0;
    for (let i = 0; i < rounds; i++) {
      const { candidates, chosen } = decide(situation({ model, seed: `${i}` }));
      for (const c of candidates) expected.set(c.contentId, (expected.get(c.contentId) ?? 0) + c.propensity);
      observed.set(chosen!.contentId, (observed.get(chosen!.contentId) ?? 0) + 1);
      variance += candidates[0]!.propensity * (1 - candidates[0]!.propensity);
    }
    for (const [id, sum] of expected)
      expect(Math.abs(sum - observed.get(id)!)).toBeLessThan(5 * Math.sqrt(Math.max(variance, rounds / 10)));
  });
});

const arbitrarySituation = fc.record({
  contents: fc
    .array(
      fc.record({
        category: fc.constantFrom('x', 'y', 'z'),
        channels: fc.subarray(['in-app', 'push']),
        prior: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      }),
      { maxLength: 30 },
    )
    .map((all) => all.map((each, i) => content(`c${i}`, each))),
  excludeCategories: fc.subarray(['x', 'y', 'z', 'X']),
  maxDailyContacts: fc.option(fc.nat(4), { nil: undefined }),
  contactsToday: fc.nat(5),
  seed: fc.string(),
  outcomes: fc.array(fc.tuple(fc.nat(29), fc.constantFrom(0, 0.2, 0.6, 1)), { maxLength: 60 }),
});

test('in any situation guardrails hold, propensities sum to 1 and respect the floor, and rankings are probabilities', () => {
  fc.assert(
    fc.property(arbitrarySituation, (s) => {
      const { excludeCategories, maxDailyContacts, contactsToday, contents, seed, outcomes } = s;
      const model = learned(outcomes.map(([i, reward]) => entry(`c${i}`, reward)));
      const guardrails = {
        excludeCategories,
        ...(maxDailyContacts === undefined ? {} : { maxDailyContacts }),
      };
      const choice = decide(situation({ contents, guardrails, contactsToday, seed, model }));
      const byId = new Map(contents.map((c) => [c.contentId, c]));
      for (const { contentId, propensity, ranking } of choice.candidates) {
        expect(excludeCategories).not.toContain(byId.get(contentId)!.category);
        expect(propensity).toBeGreaterThanOrEqual(EXPLORATION_SHARE / choice.candidates.length - 1e-12);
        expect(ranking >= 0 && ranking <= 1).toBe(true);
      }
      const sum = choice.candidates.reduce((total, c) => total + c.propensity, 0);
      if (choice.chosen) expect(sum).toBeCloseTo(1, 10);
      else expect(choice.candidates).toEqual([]);
      if (maxDailyContacts !== undefined && contactsToday >= maxDailyContacts)
        expect(choice.chosen).toBeNull();
    }),
  );
});
