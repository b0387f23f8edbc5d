import { expect, test } from 'vitest';
import { seededRandom } from '../../../../src/kit/random.ts';
import type { TraitValue } from '../../../../src/service/catalog/content.ts';
import { decide } from '../../../../src/service/decisions/engine/decide.ts';
import { fold } from '../../../../src/service/decisions/engine/learning.ts';
import { logged } from '../../../../src/service/decisions/engine/log-entry.ts';
import { emptyModel, type Model } from '../../../../src/service/decisions/engine/model.ts';
import { content, entry, situation } from './situations.ts';

const contents = ['a', 'b', 'c'].map((id) => content(id));
type Traits = Readonly<Record<string, TraitValue>>;

const choose = (model: Model, traits: Traits, n: number) =>
  decide(
    situation({
      contents,
      context: { surface: 'home' },
      person: { traits },
      user: `u${n}`,
      model,
      seed: `${n}`,
    }),
  );

/** A model of users with a plan, an age and noise, of whom `likes` says what each content earns. */
function played(rounds: number, likes: (traits: Traits, contentId: string) => number) {
  const model = emptyModel();
  const random = seededRandom('explain');
  const visitor = (): Traits => ({
    plan: random() < 0.5 ? 'pro' : 'free',
    age: Math.round(18 + 60 * random()),
    noise: Math.floor(10 * random()),
    colour: random() < 0.5 ? 'red' : 'blue',
  });
  for (let n = 0; n < rounds; n++) {
    const traits = visitor();
    const { chosen, features } = choose(model, traits, n);
    const to = random() < likes(traits, chosen!.contentId) ? 1 : 0;
    fold(model, [entry(chosen!.contentId, to, { features, user: `u${n}` })]);
  }
  return { model, visitor };
}

const byPlan = ({ plan }: Traits, id: string) => (id === (plan === 'pro' ? 'a' : 'b') ? 0.6 : 0.1);
const byAge = ({ age }: Traits, id: string) => (id === (Number(age) > 45 ? 'a' : 'b') ? 0.6 : 0.1);

test.each([
  ['a text', byPlan, 'trait plan'],
  ['a number', byAge, 'trait age'],
] as const)('names %s that decides, and a change that is true', (_, likes, deciding) => {
  const { model, visitor } = played(700, likes);
  let named = 0;
  let changes = 0;
  for (let n = 0; n < 40; n++) {
    const traits = visitor();
    const { explanation, chosen } = choose(model, traits, 10_000 + n);
    if (!explanation || chosen!.contentId !== explanation.winner) continue;
    const { winner, effects, change } = explanation;
    expect(effects.length).toBeLessThanOrEqual(5);
    const [first] = effects;
    if (first!.feature === deciding && first!.effect > 0.1) named++;
    if (!change) continue;
    changes++;
    const { [change.feature.replace('trait ', '')]: __, ...others } = traits;
    const changed =
      change.to === null ? others : { ...traits, [change.feature.replace('trait ', '')]: change.to };
    // The draw of the choice may take another one; the explanation names the best.
    expect(choose(model, changed, 20_000 + n).explanation?.winner).not.toBe(winner);
  }
  expect(named).toBeGreaterThanOrEqual(25);
  expect(changes).toBeGreaterThanOrEqual(10);
});

test('names what a single candidate earns by, and nothing where nothing was learned', () => {
  const { model } = played(300, byPlan);
  const alone = decide(
    situation({ contents: [content('a')], context: {}, person: { traits: { plan: 'pro' } }, model }),
  ).explanation!;
  expect(alone).toMatchObject({ winner: 'a', runnerUp: null, change: null });
  expect(alone.effects[0]).toMatchObject({ feature: 'trait plan', value: 'pro' });
  expect(decide(situation({ person: { traits: { plan: 'pro' } } })).explanation).toBeNull();
});

test('fits into a log entry whatever the names are, and shows nothing that looks personal', () => {
  const traits = {
    [`${'\u0001'.repeat(90)} plan`]: '\u0002'.repeat(200),
    birthday: '1980-02-03',
    zip: '12345',
    note: 'call (555) 123-4567',
    mail: 'ada@example.org',
    plan: '😀'.repeat(30),
  };
  const model = emptyModel();
  for (let n = 0; n < 60; n++) {
    const person = { traits: n % 2 === 0 ? traits : {} };
    const { chosen, features } = decide(situation({ contents, person, model, seed: `${n}` }));
    const to = n % 2 === 0 && chosen!.contentId === 'a' ? 1 : 0;
    fold(model, [entry(chosen!.contentId, to, { features, user: `u${n}` })]);
  }
  const choice = decide(situation({ contents, person: { traits }, model }));
  expect(choice.explanation!.effects.length).toBeGreaterThan(1);
  const entryOf = JSON.stringify(logged(choice));
  expect(Buffer.byteLength(entryOf)).toBeLessThan(1_700);
  for (const secret of ['1980', '12345', '555', 'ada@'])
    expect(`${JSON.stringify(choice.explanation)}${entryOf}`).not.toContain(secret);
});
