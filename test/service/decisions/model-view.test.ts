import { expect, test } from 'vitest';
import { seededRandom } from '../../../src/kit/random.ts';
import { decide } from '../../../src/service/decisions/engine/decide.ts';
import { fold } from '../../../src/service/decisions/engine/learning.ts';
import { emptyModel } from '../../../src/service/decisions/engine/model.ts';
import { parseModel, serialiseModel } from '../../../src/service/decisions/engine/snapshot.ts';
import { viewOfModel } from '../../../src/service/decisions/model-view.ts';
import { content, entry, NOW, situation } from './engine/situations.ts';

type Traits = Record<string, string | number | boolean>;

/** A model after decisions for users with these traits, where one content is right for each. */
function taught(
  rounds: number,
  contents: number,
  traitsOf: (random: () => number) => Traits,
  right: (traits: Traits) => number,
) {
  const random = seededRandom('taught');
  const model = emptyModel();
  const offered = Array.from({ length: contents }, (_, i) => content(`content ${i}`));
  for (let round = 0; round < rounds; round++) {
    const traits = traitsOf(random);
    const { chosen, features } = decide(
      situation({ contents: offered, model, person: { traits }, seed: `${round}` }),
    );
    const reward = chosen!.contentId === `content ${right(traits)}` ? 1 : 0;
    fold(model, [entry(chosen!.contentId, reward, { features })]);
  }
  return model;
}

test('one expert decides, and the weights name what matters but no value of a person', () => {
  const model = taught(
    600,
    2,
    (random) => ({ tier: random() < 0.5 ? 'canary-gold' : 'canary-tin', score: 100 * random() }),
    ({ score }) => (Number(score) > 50 ? 1 : 0),
  );
  const view = viewOfModel(model);
  expect(view.experts.map(({ decides }) => decides).filter(Boolean)).toHaveLength(1);
  expect(view.experts.find(({ decides }) => decides)).toMatchObject({ kind: 'linear', knows: 'everything' });
  expect(view.contents.map(({ learned }) => learned).reduce((a, b) => a + b)).toBe(600);
  const named = view.contents.flatMap(({ weights }) => weights.map(({ name }) => name));
  expect(named).not.toContain(null);
  expect(view.rows.linear.used).toBeGreaterThan(3);
  expect(view.rows.linear.used).toBeLessThanOrEqual(view.rows.linear.limit);
  expect(JSON.stringify(view)).not.toContain('canary');
  // A score above 50 speaks for one content as much as against the other.
  const ofScore = view.contents.map(({ weights }) =>
    weights.find(({ name }) => name === 'trait score' || name === 'rank of trait score'),
  );
  expect(ofScore.map((found) => Math.sign(found!.weight)).sort()).toEqual([-1, 1]);
  expect(viewOfModel(parseModel(serialiseModel(model))!)).toEqual(view);
});

test('says when all was forgotten, as contents shortly after each other stopped earning what they did', () => {
  const random = seededRandom('fallen');
  const model = emptyModel();
  const folded = (rounds: number, rate: number) => {
    for (let round = 0; round < rounds; round++)
      fold(model, [entry(`content ${round % 2}`, random() < rate ? 1 : 0)]);
  };
  folded(1000, 0.6);
  expect(viewOfModel(model).resetAt).toBeNull();
  folded(1000, 0.05);
  const { resetAt } = viewOfModel(model);
  expect(Date.parse(resetAt!)).toBeGreaterThan(NOW);
  expect(viewOfModel(parseModel(serialiseModel(model))!).resetAt).toBe(resetAt);
});

test('before anything was learned, and with names that were not met, there is a view too', () => {
  const view = viewOfModel(emptyModel());
  expect(view.contents).toEqual([]);
  expect(view.experts.filter(({ decides }) => decides)).toHaveLength(1);
  const model = taught(
    60,
    2,
    () => ({}),
    () => 1,
  );
  for (const key of [...model.encoding.table.rows.keys()]) {
    const row = model.encoding.table.rows.get(key)!;
    model.encoding.table.rows.delete(key);
    model.encoding.table.rows.set(row === 0 ? key : key + 1, row);
  }
  for (const { weights } of viewOfModel(model).contents)
    for (const { name } of weights) expect(name === null || name.length > 0).toBe(true);
});

test('many contents and traits with long names are bounded', () => {
  const name = 'x'.repeat(200);
  const model = taught(
    300,
    60,
    (random) => Object.fromEntries(Array.from({ length: 90 }, (_, i) => [`${name}${i}`, random()])),
    () => 3,
  );
  const view = viewOfModel(model);
  expect(view.contents.length).toBeLessThanOrEqual(20);
  for (const { weights } of view.contents) expect(weights.length).toBeLessThanOrEqual(5);
  expect(JSON.stringify(view).length).toBeLessThan(24_000);
});
