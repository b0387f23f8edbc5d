import { expect, it } from 'vitest';
import { decide, type Situation } from '../../../src/service/decisions/engine/decide.ts';
import { emptyModel } from '../../../src/service/decisions/engine/model.ts';
import { content } from '../decisions/engine/situations.ts';

let seed = 0;
const choose = (rest: Partial<Situation>) =>
  decide({
    contents: [content('a'), content('b'), content('c')],
    context: { channel: 'in-app', surface: 'home' },
    audience: { traits: {}, events: new Map() },
    guardrails: { excludeCategories: [] },
    contactsToday: 0,
    model: emptyModel(),
    seed: `seed ${seed++}`,
    now: Date.parse('2026-03-01T00:00:00Z'),
    ...rest,
  });

const weights = new Map([
  ['a', 3],
  ['b', 1],
]);
const home = { channel: undefined, surface: 'home', weights, perUser: true };
const users = Array.from({ length: 600 }, (_, i) => `user ${i}`);

it('an A/B placement divides users by weight, and a user keeps the same content', () => {
  const chosen = users.map((user) => choose({ user, placements: [home] }));
  const ofA = chosen.filter((choice) => choice.chosen?.contentId === 'a').length;
  expect(ofA / users.length).toBeGreaterThan(0.68);
  expect(ofA / users.length).toBeLessThan(0.82);
  for (const [i, user] of users.slice(0, 50).entries())
    expect(choose({ user, placements: [home] }).chosen?.contentId).toBe(chosen[i]!.chosen?.contentId);
  const { candidates, policy, reason } = chosen[0]!;
  expect(candidates.map(({ contentId, propensity }) => [contentId, propensity])).toEqual([
    ['a', 0.75],
    ['b', 0.25],
  ]);
  expect([policy, reason]).toEqual([
    'weights',
    expect.stringMatching(/by the fixed weights of the placement/),
  ]);
});

it('two A/B placements divide the users independently, and so do two tests at one place', () => {
  const even = (surface: string, ...ids: string[]) => ({
    ...home,
    surface,
    weights: new Map(ids.map((id) => [id, 1])),
  });
  const tests: [Situation['context'], ReturnType<typeof even>][] = [
    [{ surface: 'home' }, even('home', 'a', 'b')],
    [{ surface: 'cart' }, even('cart', 'a', 'b')],
    [{ surface: 'home' }, even('home', 'c', 'd')],
  ];
  const contents = ['a', 'b', 'c', 'd'].map((id) => content(id));
  const groups = users.map((user) =>
    tests.map(([context, placement]) => {
      const { chosen } = choose({ user, context, contents, placements: [placement] });
      return chosen!.contentId === 'a' || chosen!.contentId === 'c';
    }),
  );
  for (const [first, second] of [
    [0, 1],
    [0, 2],
  ] as const)
    for (const group of [true, false]) {
      const inGroup = groups.filter((each) => each[first] === group);
      const share = inGroup.filter((each) => each[second]).length / inGroup.length;
      expect(share).toBeGreaterThan(0.4);
      expect(share).toBeLessThan(0.6);
    }
});

it('a content that is not eligible for a user leaves the users of the others where they are', () => {
  const placements = [{ ...home, weights: new Map(['a', 'b', 'c'].map((id) => [id, 1])) }];
  const without = [content('b'), content('c')];
  for (const user of users) {
    const { contentId } = choose({ user, placements }).chosen!;
    if (contentId !== 'a')
      expect(choose({ user, placements, contents: without }).chosen!.contentId).toBe(contentId);
  }
});

it('a placement that draws for each decision gives one user both contents', () => {
  const placements = [{ ...home, perUser: false }];
  const chosen = users.map(() => choose({ user: 'one', placements }).chosen?.contentId);
  expect(new Set(chosen)).toEqual(new Set(['a', 'b']));
});

it('a placement holds for its place only, and says so where none of its contents may be shown', () => {
  expect(choose({ context: { surface: 'offers' }, placements: [home] }).policy).toBe('learned');
  const none = choose({ contents: [content('c')], placements: [home] });
  expect([none.chosen, none.reason]).toEqual([
    null,
    expect.stringMatching(/fixed weights of the placement removed c/),
  ]);
});

it('the holdout group is a steady share of the users, for whom contents are chosen evenly', () => {
  const policies = users.map((user) => choose({ user, holdout: 0.2 }).policy);
  const share = policies.filter((policy) => policy === 'holdout').length / users.length;
  expect(share).toBeGreaterThan(0.14);
  expect(share).toBeLessThan(0.26);
  expect(users.map((user) => choose({ user, holdout: 0.2 }).policy)).toEqual(policies);
  const { candidates, reason } = choose({ user: users[policies.indexOf('holdout')], holdout: 0.2 });
  for (const { propensity } of candidates) expect(propensity).toBeCloseTo(1 / 3, 12);
  expect(reason).toMatch(/chosen evenly for the holdout group/);
});

it('every candidate gets its part of the exploration share', () => {
  const { candidates } = choose({ user: 'u', explorationShare: 0.6 });
  for (const { propensity } of candidates) expect(propensity).toBeGreaterThanOrEqual(0.2 - 1e-12);
});
