import { expect, test } from 'vitest';
import { seededRandom } from '../../../../src/kit/random.ts';
import { decide } from '../../../../src/service/decisions/engine/decide.ts';
import { featuresOf, packFeatures } from '../../../../src/service/decisions/engine/features.ts';
import { forgetUser } from '../../../../src/service/decisions/engine/forget.ts';
import { fold } from '../../../../src/service/decisions/engine/learning.ts';
import { emptyModel } from '../../../../src/service/decisions/engine/model.ts';
import { parseModel, serialiseModel } from '../../../../src/service/decisions/engine/snapshot.ts';
import { content, entry, learned, situation } from './situations.ts';

type Traits = Record<string, string | number>;

const contents = ['a', 'b', 'c'].map((id) => content(id));

/** Plays 900 decisions in which the trait `plan` decides; returns the share of right choices of the last 300. */
function play(others: (i: number, random: () => number) => Traits) {
  const model = emptyModel();
  const random = seededRandom('bad input');
  let right = 0;
  for (let i = 0; i < 900; i++) {
    const plan = Math.floor(3 * random());
    const traits = { plan: `p${plan}`, ...others(i, random) };
    const choice = decide(situation({ contents, context: {}, person: { traits }, model, seed: `${i}` }));
    const { contentId } = choice.chosen!;
    const isRight = contents[plan]!.contentId === contentId;
    if (i >= 600 && isRight) right++;
    fold(model, [entry(contentId, isRight ? 1 : 0, { features: choice.features, user: `u${i}` })]);
  }
  return { share: right / 300, model };
}

const edges = [Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, -0, 0, 1e300, 1e-300, 2 ** 53];

test.each<[string, (i: number, random: () => number) => Traits]>([
  ['numbers at the edges of a double', (i, random) => ({ n: edges[i % edges.length]!, m: random() * 1e308 })],
  ['a different value for every user', (i) => ({ zip: `z${i * 111}`, other: `o${i}` })],
  [
    'a number for some and a word for others',
    (i, random) => (i % 2 ? { n: random() } : { n: ['low', 'high'][i % 3]! ?? 'none' }),
  ],
  ['a constant number and a constant word', () => ({ n: 7, w: 'same' })],
  ['a number that is missing for most', (i, random): Traits => (i % 50 === 0 ? { n: random() } : {})],
])('with %s, the trait that matters decides', (_, others) => {
  const { share, model } = play(others);
  expect(share).toBeGreaterThan(0.85);
  expect(8 * model.size).toBeLessThan(40e6);
  const text = serialiseModel(model);
  expect(serialiseModel(parseModel(text)!)).toBe(text);
});

test('users with 5,000 traits among others change neither their choices nor what a decision holds', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`t${i}`, i % 2 ? i : `v${i}`]));
  const { share, model } = play((i) => (i % 30 === 7 ? many : {}));
  expect(share).toBeGreaterThan(0.85);
  expect(model.encoding.table.rows.size).toBeLessThanOrEqual(256);
  expect(featuresOf({}, { traits: many }).length).toBeLessThanOrEqual(96);
});

test('contents that join take nothing away from what is known of the others', () => {
  const { model } = play((_, random) => ({ n: random() }));
  const rankings = () =>
    decide(
      situation({ contents, context: {}, person: { traits: { plan: 'p1', n: 0.5 } }, model }),
    ).candidates.map(({ ranking }) => ranking);
  const before = rankings();
  fold(
    model,
    Array.from({ length: 40 }, (_, i) => entry(`new ${i}`, 0, { features: [] })),
  );
  for (const [i, ranking] of rankings().entries()) expect(Math.abs(ranking - before[i]!)).toBeLessThan(0.1);
});

test('neither names nor texts of a person are in the log or the model, and numbers go with the user', () => {
  const traits = {
    secret_plan: 'canary-word',
    salary: 87_654.321,
    email: 'canary@example.org',
    phone: 4_477_009_001,
    full_name: 'Canary',
  };
  const features = featuresOf({ canary_field: 'canary-place' }, { traits, history: { silent: 3 } });
  const log = JSON.stringify(packFeatures(features));
  const model = learned([
    ...Array.from({ length: 4 }, () => entry('a', 1, { features, user: 'canary-user' })),
    entry('a', 0, { features: featuresOf({}, { traits: { salary: 5 } }), user: 'other' }),
  ]);
  const text = serialiseModel(model);
  for (const each of [log, text]) {
    expect(each).not.toMatch(/canary|Canary|salary|secret|87654\.3|447700/);
    expect(each).toContain('87654');
  }
  expect(forgetUser(model, 'canary-user')).toBe(true);
  const values = [...model.encoding.numbers.known.values()].flatMap((each) => each.values);
  expect(values).toEqual([5]);
});
