import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decide } from '../../../../src/service/domain/decide/decide.ts';
import type { Model } from '../../../../src/service/domain/decide/model.ts';
import { parseModel, serialiseModel } from '../../../../src/service/domain/decide/snapshot.ts';
import { content, entry, learned, situation } from './situations.ts';

/** A model that an earlier version stored, after 120 decisions; `a` and `b` earn on the surface `home` only. */
const text = readFileSync(join(import.meta.dirname, 'layout-3.json'), 'utf8');
/** A model that the version with layout 4 stored, after 120 decisions of which one waits; the same holds of `a` and `b`. */
const layout4 = readFileSync(join(import.meta.dirname, 'layout-4.json'), 'utf8');

const rankings = (model: Model, surface: string) => {
  const contents = ['a', 'b', 'c'].map((id) => content(id));
  const person = { traits: { plan: 'free' } };
  return decide(situation({ contents, context: { surface }, person, user: 'user1', model })).candidates.map(
    ({ ranking }) => ranking,
  );
};

/** The same text in layout 2, whose covariances were in double precision. */
function inLayout2(): string {
  const stored = JSON.parse(text);
  const doubles = (single: string) => {
    const bytes = Buffer.from(single, 'base64');
    const values = Float64Array.from(new Float32Array(new Uint8Array(bytes).buffer));
    return Buffer.from(values.buffer).toString('base64');
  };
  for (const block of stored.categories) block[4] = doubles(block[4]);
  for (const block of stored.contents) block[5] = doubles(block[5]);
  return JSON.stringify({ ...stored, layout: 2 });
}

test('a model of layout 4 continues with the silence that waits in it', () => {
  const stored = JSON.parse(layout4);
  const model = parseModel(layout4)!;
  expect(model.version).toBe(160);
  expect(model.pending.size).toBe(1);
  expect(model.attributes.size).toBe(0);
  // What the program that stored it answered.
  const before = { home: [0.482205, 0.483182, 0.104079], cart: [0.076078, 0.078023, 0.014379] };
  for (const [surface, expected] of Object.entries(before))
    for (const [i, ranking] of rankings(model, surface).entries())
      expect(ranking, `${surface} ${i}`).toBeCloseTo(expected[i]!, 5);
  expect(serialiseModel(parseModel(serialiseModel(model))!)).toBe(serialiseModel(model));
  expect(model.contents.get('c')!.seen).toBe(39);
  for (let i = 0; i < 3; i++)
    learned([entry('b', 0, { decisionId: `l${i}`, at: 1_780_000_000_000 + 10_000 * i })], model);
  expect(model.contents.get('c')!.seen).toBe(40);
  expect(parseModel(JSON.stringify({ ...stored, pending: [[[1], ['a', 'any'], null, []]] }))).toBeNull();
  expect(parseModel(JSON.stringify({ ...stored, delays: ['1'] }))).toBeNull();
});

for (const [layout, older] of [
  ['3', text],
  ['2', inLayout2()],
])
  test(`a model of layout ${layout} decides as it did, and goes on learning`, () => {
    const model = parseModel(older!)!;
    expect(model.version).toBe(120);
    // What the earlier version answered.
    const before = { home: [0.477668, 0.473409, 0.326626], cart: [0.080991, 0.07674, 0.066538] };
    for (const [surface, expected] of Object.entries(before))
      for (const [i, ranking] of rankings(model, surface).entries())
        expect(Math.abs(ranking - expected[i]!), `${surface} ${i}`).toBeLessThan(0.02);
    expect(serialiseModel(parseModel(serialiseModel(model))!)).toBe(serialiseModel(model));
    for (let i = 0; i < 60; i++) learned([entry('a', 0), entry('b', 0)], model);
    expect(rankings(model, 'home')[0]).toBeLessThan(0.3);
  });

test('a damaged model of layout 3 is rejected', () => {
  const stored = JSON.parse(text);
  expect(parseModel(JSON.stringify(stored))).not.toBeNull();
  for (const damage of [
    { tastes: stored.tastes.slice(4) },
    { features: [[0, '0']] },
    { counts: stored.counts.slice(1) },
    { categories: [stored.categories[0].with(3, '')] },
  ])
    expect(parseModel(JSON.stringify({ ...stored, ...damage })), Object.keys(damage)[0]).toBeNull();
});
