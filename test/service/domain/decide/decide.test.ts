import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/kit/random.ts';
import { type Content, windowOf } from '../../../../src/service/domain/decide/content.ts';
import { alternativesOf, decide, type Situation } from '../../../../src/service/domain/decide/decide.ts';
import { type Context, featuresOf } from '../../../../src/service/domain/decide/features.ts';
import { fold, type RewardEntry } from '../../../../src/service/domain/decide/learning.ts';
import { COPIES, emptyModel, type Model } from '../../../../src/service/domain/decide/model.ts';
import { FLOOR } from '../../../../src/service/domain/decide/policy.ts';
import { modelOrEmpty, parseModel, serialiseModel } from '../../../../src/service/domain/decide/snapshot.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const content = (contentId: string, rest: Partial<Content> = {}): Content => ({
  contentId,
  category: 'any',
  channels: [],
  surfaces: [],
  locales: [],
  format: 'card',
  title: 'T',
  body: 'B',
  traits: [],
  events: [],
  prior: 0.1,
  ...rest,
});
const situation = (rest: Partial<Situation> = {}): Situation => ({
  contents: [content('a'), content('b'), content('c')],
  context: { channel: 'in-app', surface: 'home', locale: 'en-GB' },
  audience: { traits: {}, events: new Map() },
  guardrails: { excludeCategories: [] },
  contactsToday: 0,
  model: emptyModel(),
  seed: 's',
  now: NOW,
  ...rest,
});
let made = 0;
const entry = (
  contentId: string,
  to: number,
  { context = { surface: 'home' }, ...rest }: Partial<RewardEntry> & { context?: Context } = {},
): RewardEntry => ({
  decisionId: `d${made}`,
  contentId,
  category: 'any',
  features: featuresOf(context),
  user: null,
  prior: 0.1,
  at: NOW + 1000 * made++,
  from: null,
  to,
  ...rest,
});
/** The model that has learned these entries and nothing else. */
const learned = (entries: readonly RewardEntry[], model = emptyModel()): Model => {
  fold(model, entries);
  return model;
};
const ids = (s: Situation) => decide(s).candidates.map((c) => c.contentId);

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

describe('nothing eligible is said in words', () => {
  test('by rule and guardrail', () => {
    const contents = [content('a', { channels: ['push'] }), content('b', { category: 'promo' })];
    const choice = decide(situation({ contents, guardrails: { excludeCategories: ['promo'] } }));
    expect(choice).toEqual({
      chosen: null,
      candidates: [],
      features: [],
      policy: 'learned',
      reason: 'Nothing chosen: the channel removed a; excludeCategories (promo) removed b.',
    });
  });

  test('by the cap, and by an empty catalog', () => {
    const capped = { excludeCategories: [], maxDailyContacts: 2 };
    expect(decide(situation({ guardrails: capped, contactsToday: 2 })).reason).toBe(
      'Nothing chosen: maxDailyContacts 2 is reached, the user had 2 contacts today.',
    );
    expect(decide(situation({ guardrails: capped, contactsToday: 1 })).chosen).not.toBeNull();
    expect(
      decide(situation({ guardrails: { excludeCategories: [], maxDailyContacts: 0 } })).chosen,
    ).toBeNull();
    expect(decide(situation({ contents: [] })).reason).toMatch(/holds no content/);
  });
});

describe('the choice', () => {
  test('the reason says what weighed most', () => {
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

  test('a content without outcomes ranks as its prior says, wherever it is', () => {
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

  test('alternatives come best first, without the chosen one', () => {
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

  test('actions are drawn as often as their propensities say', () => {
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

test('whatever the situation: guardrails hold, propensities sum to 1, the floor is kept, rankings are chances', () => {
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
        expect(propensity).toBeGreaterThanOrEqual(FLOOR / choice.candidates.length - 1e-12);
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

describe('the model', () => {
  test('a reward raises a ranking, a miss lowers it, and a correction lands where the right outcome would', () => {
    const ranking = (model: Model) =>
      decide(situation({ contents: [content('a')], context: { surface: 'home' }, model })).chosen!.ranking;
    const start = ranking(emptyModel());
    const won = learned([entry('a', 1)]);
    const missed = learned([entry('a', 0)]);
    expect(ranking(won)).toBeGreaterThan(start);
    expect(ranking(missed)).toBeLessThan(start);
    const many = Array.from({ length: 200 }, (_, i) => (i % 4 === 0 ? 1 : 0));
    const direct = learned(many.map((to) => entry('a', to)));
    const corrected = learned(
      many.flatMap((to, i) => [
        entry('a', 0.2, { decisionId: `m${i}` }),
        entry('a', to, { decisionId: `m${i}`, from: 0.2 }),
      ]),
    );
    expect(Math.abs(ranking(direct) - ranking(corrected))).toBeLessThan(0.03);
    expect(Math.abs(ranking(direct) - 0.25)).toBeLessThan(0.03);
  });

  test('folding in parts, from a snapshot too, is folding at once', () => {
    const log = Array.from({ length: 50 }, (_, i) =>
      entry(`c${i % 3}`, i % 2, { context: { surface: `s${i % 7}` } }),
    );
    const half = learned(log.slice(0, 20));
    const resumed = learned(log.slice(20), modelOrEmpty(serialiseModel(half)));
    const whole = serialiseModel(learned(log));
    expect(serialiseModel(resumed)).toBe(whole);
    expect(serialiseModel(learned(log.slice(20), half))).toBe(whole);
  });

  test('more context values than it keeps rows for never break it', () => {
    const model = learned(
      Array.from({ length: 1200 }, (_, i) => entry('a', i % 2, { context: { locale: `l${i % 100}` } })),
    );
    expect(model.features.rows.size).toBe(64);
    expect(model.contents.get('a')!.block.capacity).toBe(64);
    expect(parseModel(serialiseModel(model))).not.toBeNull();
    expect(decide(situation({ contents: [content('a')], model })).chosen!.ranking).toBeGreaterThan(0);
  });

  test('the covariance stays one through any log', () => {
    const random = seededRandom('covariance');
    const log = Array.from({ length: 2000 }, () =>
      entry('a', [0, 0.2, 0.6, 1][Math.floor(random() * 4)]!, {
        context: { surface: `s${Math.floor(random() * 5)}`, locale: `l${Math.floor(random() * 5)}` },
      }),
    );
    const { contents, categories } = learned(log);
    for (const block of [contents.get('a')!.block, categories.get('any')!]) {
      expect(block.variances()).toHaveLength(COPIES.length * block.capacity);
      for (const variance of block.variances()) expect(variance).toBeGreaterThan(0);
    }
  });
});

describe('what is learned', () => {
  const world = (
    rounds: number,
    model: Model,
    chance: (contentId: string, t: number) => number,
    from = 0,
  ) => {
    const random = seededRandom(`world ${from}`);
    const shown = new Map<string, number>();
    const contents = ['a', 'b', 'c', 'd'].map((id) => content(id));
    for (let t = from; t < from + rounds; t++) {
      const { contentId } = decide(situation({ contents, model, seed: `s${t}` })).chosen!;
      shown.set(contentId, (shown.get(contentId) ?? 0) + 1);
      const base = { decisionId: `w${t}`, at: NOW + 1000 * t };
      fold(model, [entry(contentId, 0, base)]);
      if (random() < chance(contentId, t)) fold(model, [entry(contentId, 1, { ...base, from: 0 })]);
    }
    return shown;
  };

  test('a content that stops earning is given up within 1,500 decisions, and the others keep what they learned', () => {
    const model = emptyModel();
    const rate = (id: string) => ({ a: 0.35, b: 0.2 })[id] ?? 0.05;
    world(3000, model, rate);
    world(700, model, (id) => (id === 'a' ? 0.005 : rate(id)), 3000);
    const shown = world(800, model, (id) => (id === 'a' ? 0.005 : rate(id)), 3700);
    expect(shown.get('b')! / 800).toBeGreaterThan(0.8);
    expect([model.contents.get('a')!.life, model.contents.get('b')!.life]).toEqual([1, 0]);
  });

  test('nothing is unlearned where nothing changes', () => {
    const model = emptyModel();
    world(12_000, model, (id) => ({ a: 0.35, b: 0.2 })[id] ?? 0.05);
    expect(model.change.lastFall).toBe(Number.NEGATIVE_INFINITY);
  });

  test('silence waits for the clicks that are still on their way', () => {
    const model = emptyModel();
    const clicks = Array.from({ length: 40 }, (_, i) => [
      entry('a', 0, { decisionId: `c${i}`, at: NOW + 2000 * i }),
      entry('a', 1, { decisionId: `c${i}`, at: NOW + 2000 * i + 1000, from: 0 }),
    ]).flat();
    fold(model, clicks);
    const ranking = () =>
      decide(situation({ contents: [content('a')], context: { surface: 'home' }, model })).chosen!.ranking;
    const known = ranking();
    const now = NOW + 100_000;
    fold(
      model,
      Array.from({ length: 30 }, (_, i) => entry('a', 0, { decisionId: `p${i}`, at: now + i })),
    );
    expect([ranking(), model.pending.size]).toEqual([known, 30]);
    fold(model, [entry('b', 0, { decisionId: 'later', at: now + 5000 })]);
    expect(model.pending.size).toBe(1);
    expect(ranking()).toBeLessThan(known - 0.1);
  });

  test('contents of a category learn from one another', () => {
    const same = (i: number) => content(`x${i}`, { category: i % 2 ? 'good' : 'bad' });
    const model = emptyModel();
    for (let i = 0; i < 600; i++)
      fold(model, [entry(`x${i % 20}`, i % 2 && i % 3 ? 1 : 0, { category: i % 2 ? 'good' : 'bad' })]);
    const contents = [same(100), same(101)];
    const [bad, good] = decide(situation({ contents, model, context: { surface: 'home' } })).candidates;
    expect(good!.ranking).toBeGreaterThan(2 * bad!.ranking);
  });

  test('a user whose taste differs is served by it', () => {
    const model = emptyModel();
    const users = ['u1', 'u2', 'u3', 'u4'];
    const contents = ['a', 'b', 'c', 'd'].map((id) => content(id));
    const random = seededRandom('taste');
    const counted = { right: 0, all: 0 };
    for (let t = 0; t < 1600; t++) {
      const user = users[t % 4]!;
      const { contentId } = decide(situation({ contents, model, user, seed: `t${t}` })).chosen!;
      const right = contents[t % 4]!.contentId === contentId;
      fold(model, [entry(contentId, random() < (right ? 0.5 : 0.05) ? 1 : 0, { user })]);
      if (t < 1200) continue;
      counted.all++;
      if (right) counted.right++;
    }
    expect(counted.right / counted.all).toBeGreaterThan(0.8);
  });

  test('memory stays bounded whatever traits and users arrive', () => {
    const model = emptyModel();
    const odd = (i: number) =>
      featuresOf(
        { surface: 'home' },
        { traits: { id: `u${i}`, plan: ['a', 'b'][i % 2]!, zip: `z${i % 700}` } },
      );
    for (let i = 0; i < 33_000; i++)
      fold(model, [entry('a', +(i % 5 === 0), { user: `u${i}`, features: odd(i), decisionId: `m${i}` })]);
    expect(model.personal.pairs.size).toBeLessThanOrEqual(32_768);
    expect(model.features.counts.size).toBeLessThanOrEqual(1024);
    expect(model.contents.get('a')!.block.capacity).toBeLessThanOrEqual(64);
    expect(model.features.rows.size).toBeLessThan(20);
  });
});

describe('a broken model', () => {
  const sound = serialiseModel(learned([entry('a', 1), entry('b', 0)]));

  test('is not read', () => {
    expect(parseModel(sound)).not.toBeNull();
    for (const text of [
      '',
      'null',
      '[]',
      sound.slice(0, -9),
      sound.replace('"layout":3', '"layout":4'),
      sound.replace(/"contents":\[\["a",\[1/, '"contents":[["a",[null'),
      sound.replace(/"evidence":"..../, '"evidence":"'),
      JSON.stringify({ layout: 1, version: 1, actions: [['a', 0, 1, [0], [0], [-1]]] }),
      JSON.stringify({ layout: 1, version: 1, actions: [['a', 0, 1, [0, 1], [0], [1]]] }),
    ])
      expect(parseModel(text), text).toBeNull();
  });

  test('still gives a safe answer', () => {
    const model = learned([entry('a', 1)]);
    model.contents.get('a')!.block.mean.fill(Number.NaN);
    const { candidates, chosen } = decide(situation({ model }));
    expect(candidates.map((c) => c.propensity)).toEqual([1 / 3, 1 / 3, 1 / 3]);
    expect(candidates[0]!.ranking).toBe(0.1);
    expect(chosen).not.toBeNull();
    expect(modelOrEmpty('garbage')).toEqual(emptyModel());
  });
});
