import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/kit/random.ts';
import { COPIES, DEFAULT_COPY } from '../../../../src/service/decisions/engine/copies.ts';
import { decide } from '../../../../src/service/decisions/engine/decide.ts';
import { featuresOf } from '../../../../src/service/decisions/engine/features.ts';
import { fold, type RewardEntry } from '../../../../src/service/decisions/engine/learning.ts';
import { emptyModel, type Model } from '../../../../src/service/decisions/engine/model.ts';
import {
  modelOrEmpty,
  parseModel,
  serialiseModel,
} from '../../../../src/service/decisions/engine/snapshot.ts';
import { content, entry, learned, NOW, situation } from './situations.ts';

describe('the model', () => {
  test('a reward raises a ranking, a miss lowers it, and a correction has the effect of the correct outcome', () => {
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

  test('folding in parts, also from a snapshot, equals folding at once', () => {
    const log = Array.from({ length: 50 }, (_, i) =>
      entry(`c${i % 3}`, i % 2, { context: { surface: `s${i % 7}` } }),
    );
    const half = learned(log.slice(0, 20));
    const resumed = learned(log.slice(20), modelOrEmpty(serialiseModel(half)));
    const whole = serialiseModel(learned(log));
    expect(serialiseModel(resumed)).toBe(whole);
    expect(serialiseModel(learned(log.slice(20), half))).toBe(whole);
  });

  test('tolerates more context values than it has rows for', () => {
    const model = learned(
      Array.from({ length: 1200 }, (_, i) => entry('a', i % 2, { context: { locale: `l${i % 100}` } })),
    );
    expect(model.views.tables[DEFAULT_COPY]!.rows.size).toBe(64);
    expect(model.contents.get('a')!.blocks[DEFAULT_COPY]!.capacity).toBe(64);
    expect(parseModel(serialiseModel(model))).not.toBeNull();
    expect(decide(situation({ contents: [content('a')], model })).chosen!.ranking).toBeGreaterThan(0);
  });

  test('the covariance stays positive definite for any log', () => {
    const random = seededRandom('covariance');
    const log = Array.from({ length: 2000 }, () =>
      entry('a', [0, 0.2, 0.6, 1][Math.floor(random() * 4)]!, {
        context: { surface: `s${Math.floor(random() * 5)}`, locale: `l${Math.floor(random() * 5)}` },
      }),
    );
    const { contents, categories } = learned(log);
    const blocks = [...contents.get('a')!.blocks, ...categories.get('any')!];
    expect(blocks).toHaveLength(2 * COPIES.length);
    for (const block of blocks) {
      expect(block.variances()).toHaveLength(block.capacity);
      for (const variance of block.variances()) expect(variance).toBeGreaterThan(0);
    }
  });
});

describe('learning', () => {
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

  test('a content whose rewards stop is dropped within 1,500 decisions, and the others keep their estimates', () => {
    const model = emptyModel();
    const rate = (id: string) => ({ a: 0.35, b: 0.2 })[id] ?? 0.05;
    world(3000, model, rate);
    world(700, model, (id) => (id === 'a' ? 0.005 : rate(id)), 3000);
    const shown = world(800, model, (id) => (id === 'a' ? 0.005 : rate(id)), 3700);
    expect(shown.get('b')! / 800).toBeGreaterThan(0.8);
    expect([model.contents.get('a')!.epoch, model.contents.get('b')!.epoch]).toEqual([1, 0]);
  });

  test('nothing is forgotten if nothing changes', () => {
    const model = emptyModel();
    world(12_000, model, (id) => ({ a: 0.35, b: 0.2 })[id] ?? 0.05);
    expect(model.change.lastFall).toBe(Number.NEGATIVE_INFINITY);
  });

  test('silence is learned only after pending clicks would have arrived', () => {
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

  test('a response counts with the silence of the decisions around it, and its value is not lost', () => {
    const model = learned(
      Array.from({ length: 40 }, (_, i) => [
        entry('a', 0, { decisionId: `c${i}`, at: NOW + 2000 * i }),
        entry('a', 1, { decisionId: `c${i}`, at: NOW + 2000 * i + 1000, from: 0 }),
      ]).flat(),
    );
    const now = NOW + 100_000;
    fold(model, [
      entry('new', 0, { decisionId: 'n', at: now }),
      entry('new', 0.6, { decisionId: 'n', at: now + 1, from: 0 }),
    ]);
    expect(model.contents.has('new')).toBe(false);
    fold(model, [entry('a', 0, { decisionId: 'later', at: now + 5000 })]);
    const { seen, rewards, responses } = model.contents.get('new')!;
    expect([seen, rewards, responses]).toEqual([1, 0.6, 1]);
  });

  test('clicks after scattered delays do not look like a fall', () => {
    const model = emptyModel();
    const random = seededRandom('scattered');
    const due = new Map<number, RewardEntry[]>();
    for (let t = 0; t < 6000; t++) {
      const at = NOW + 1000 * t;
      fold(
        model,
        (due.get(t) ?? []).map((each) => ({ ...each, at })),
      );
      // Content a is shown far more often in every other stretch.
      const often = Math.floor(t / 300) % 2 === 0;
      const made = entry(random() < (often ? 0.9 : 0.1) ? 'a' : 'b', 0, { decisionId: `s${t}`, at });
      fold(model, [made]);
      if (random() >= 0.3) continue;
      const later = t + Math.ceil(-200 * Math.log(1 - random()));
      due.set(later, [...(due.get(later) ?? []), { ...made, from: 0, to: 1 }]);
    }
    expect(model.change.lastFall).toBe(Number.NEGATIVE_INFINITY);
    expect([...model.contents.values()].map(({ epoch }) => epoch)).toEqual([0, 0]);
  });

  /** A sum of clicks, which come at once and earn little, and of orders, which come 500 to 1,500 decisions later. */
  const sumOfFastAndSlow = (named: boolean) => {
    const model = emptyModel();
    const random = seededRandom('sum');
    const due = new Map<number, (() => RewardEntry)[]>();
    for (let t = 0; t < 7500; t++) {
      const at = NOW + 60_000 * t;
      for (const earned of due.get(t) ?? []) fold(model, [{ ...earned(), at }]);
      if (t >= 6000) continue;
      // Content b is shown, pauses until all that it earned has come, and is shown again.
      const contentId = (t < 2500 && random() < 0.5) || t >= 4000 ? 'b' : 'a';
      const made = entry(contentId, 0, { decisionId: `o${t}`, at });
      fold(model, [{ ...made, ...(named ? { parts: [] } : {}) }]);
      let sum = 0;
      const earn = (part: string, to: number, later: number) =>
        due.set(later, [
          ...(due.get(later) ?? []),
          () => {
            const from = sum;
            sum += to;
            return { ...made, from, to: sum, ...(named ? { parts: [{ part, from: 0, to }] } : {}) };
          },
        ]);
      if (random() < 0.95) earn('', 0.06, t + 1);
      if (random() < (contentId === 'a' ? 0.2 : 0.4))
        earn('order', 0.6, t + 500 + Math.ceil(1000 * random()));
    }
    return model;
  };

  test('a slow goal in a sum with a fast one is not taken for a fall, and is judged better than as one', () => {
    const contents = [content('a'), content('b')];
    const errorsOf = (model: Model) => {
      const { candidates } = decide(situation({ contents, context: { surface: 'home' }, model }));
      const of = (id: string) => candidates.find(({ contentId }) => contentId === id)!.ranking;
      expect(of('b')).toBeGreaterThan(of('a'));
      return [of('a') - (0.95 * 0.06 + 0.2 * 0.6), of('b') - (0.95 * 0.06 + 0.4 * 0.6)].map(Math.abs);
    };
    // As one, clicks would say that orders have had time to arrive.
    const one = sumOfFastAndSlow(false);
    expect(one.change.lastFall).toBeGreaterThan(0);
    const parts = sumOfFastAndSlow(true);
    expect(parts.change.lastFall).toBe(Number.NEGATIVE_INFINITY);
    const [a, b] = errorsOf(parts);
    const [asOneA, asOneB] = errorsOf(one);
    expect(a! < asOneA! && b! < asOneB!).toBe(true);
  });

  test('features that do not matter are left out of the choice, and the others stay in it', () => {
    const model = emptyModel();
    const random = seededRandom('kinds');
    const some = (most: number) => Math.floor(random() * most);
    for (let i = 0; i < 3000; i++) {
      const plan = some(3);
      const traits = { plan: `plan ${plan}`, age: `age ${some(5)}` };
      const events = [{ event: `event ${some(4)}`, count: 1 + some(6), age: 1e8 }];
      const features = featuresOf({ surface: `s${some(3)}`, locale: `l${some(3)}` }, { traits, events });
      const on = some(4);
      const to = random() < (on % 3 === plan ? 0.5 : 0.05) ? 1 : 0;
      fold(model, [entry(`c${on}`, to, { features, user: `u${some(500)}` })]);
    }
    expect(COPIES[model.evidence.copy]).toEqual({ view: 2, personal: false });
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

  test('a user with a different preference gets other contents', () => {
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

  test('memory stays bounded whatever context, traits, events and users arrive', () => {
    const model = emptyModel();
    const odd = (i: number) =>
      featuresOf(
        { surface: 'home', [`field${i % 600}`]: i },
        {
          traits: { id: `u${i}`, plan: ['a', 'b'][i % 2]!, zip: `z${i % 700}` },
          events: [{ event: `e${i % 800}`, count: i, age: i * 1000 }],
        },
      );
    for (let i = 0; i < 32_700; i++) model.personal.getOrCreate(i);
    for (let i = 0; i < 3000; i++)
      fold(model, [entry('a', +(i % 5 === 0), { user: `u${i}`, features: odd(i), decisionId: `m${i}` })]);
    expect(model.personal.pairs.size).toBeLessThanOrEqual(32_768);
    for (const { counts, rows, most } of [...model.views.tables, model.encoding.table]) {
      expect(counts.size).toBeLessThanOrEqual(16 * most);
      expect(rows.size).toBeLessThanOrEqual(most);
    }
    expect(model.encoding.numbers.known.size).toBeLessThanOrEqual(256);
    for (const { capacity } of model.contents.get('a')!.blocks) expect(capacity).toBeLessThanOrEqual(64);
    expect(8 * model.size).toBeLessThan(20e6);
  });
});

describe('a broken model', () => {
  const sound = serialiseModel(learned([entry('a', 1), entry('b', 0)]));

  test('is rejected', () => {
    expect(parseModel(sound)).not.toBeNull();
    for (const text of [
      '',
      'null',
      '[]',
      sound.slice(0, -9),
      sound.replace('"layout":4', '"layout":3'),
      sound.replace(/"contents":\[\["a",\[1/, '"contents":[["a",[null'),
      sound.replace(/"evidence":"..../, '"evidence":"'),
      sound.replace(/"calibration":\["..../, '"calibration":["'),
      JSON.stringify({ layout: 4, version: 1, actions: [['a', 0, 1, [0], [0], [-1]]] }),
      JSON.stringify({ layout: 4, version: 1, actions: [['a', 0, 1, [0, 1], [0], [1]]] }),
    ])
      expect(parseModel(text), text).toBeNull();
  });

  test('still yields a safe decision', () => {
    const model = learned([entry('a', 1)]);
    const { blocks, linear } = model.contents.get('a')!;
    for (const each of [...blocks, linear]) each.mean.fill(Number.NaN);
    const { candidates, chosen } = decide(situation({ model }));
    expect(candidates.map((c) => c.propensity)).toEqual([1 / 3, 1 / 3, 1 / 3]);
    expect(candidates[0]!.ranking).toBe(0.1);
    expect(chosen).not.toBeNull();
    expect(modelOrEmpty('garbage')).toEqual(emptyModel());
  });
});
