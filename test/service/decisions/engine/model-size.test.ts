import { expect, test } from 'vitest';
import { seededRandom } from '../../../../src/kit/random.ts';
import { DEFAULT_COPY, ownBlocks } from '../../../../src/service/decisions/engine/copies.ts';
import { featuresOf } from '../../../../src/service/decisions/engine/features.ts';
import { fold } from '../../../../src/service/decisions/engine/learning.ts';
import { emptyModel } from '../../../../src/service/decisions/engine/model.ts';
import { partsOf } from '../../../../src/service/decisions/engine/parts.ts';
import { Reader } from '../../../../src/service/decisions/engine/reader.ts';
import { parseModel, serialiseModel } from '../../../../src/service/decisions/engine/snapshot.ts';
import { entry } from './situations.ts';

function learned(contents: number) {
  const model = emptyModel();
  const random = seededRandom(contents);
  const some = (most: number) => Math.floor(random() * most);
  for (let i = 0; i < 2 * contents; i++)
    fold(model, [
      {
        decisionId: `d${i}`,
        contentId: `content_${i % contents}`,
        category: `category_${i % 20}`,
        attributes: [i % 200, 200 + (i % 7)],
        features: featuresOf(
          { surface: `s${some(8)}`, locale: `l${some(8)}` },
          { traits: { a: some(9), b: some(9), c: some(9), d: some(9) }, history: { silent: some(30) } },
        ),
        user: null,
        prior: 0.1,
        at: i * 1000,
        from: null,
        to: random() < 0.3 ? 0.6 : 0,
      },
    ]);
  return model;
}

test('a model of the largest catalog and many features takes bounded memory', () => {
  const model = learned(1200);
  expect(model.views.tables[DEFAULT_COPY]!.rows.size).toBeGreaterThan(45);
  // Without the bound on the blocks that grew first it was 46 MB.
  expect(8 * model.size).toBeLessThan(30e6);
  expect(
    Math.max(...[...model.everyBlocks()].flatMap((blocks) => blocks.map(({ capacity }) => capacity))),
  ).toBeLessThan(50);
});

test('a block without its last rows says the same of the others', () => {
  const model = learned(20);
  const block = model.contents.get('content_3')!.blocks[DEFAULT_COPY]!;
  const rows = { rows: Int32Array.of(0, 2, 5), values: Float64Array.of(1, 0.7, 0.7) };
  expect(block.capacity).toBeGreaterThan(10);
  const before = block.believe(rows);
  block.truncate(6);
  expect(block.capacity).toBe(6);
  expect(block.believe(rows)).toEqual(before);
  block.truncate(5);
  const row = { rows: Int32Array.of(5), values: Float64Array.of(0.7) };
  expect(block.believe(row)).toEqual(ownBlocks([0])[0]!.believe(row));
});

test('features without room for their rows are no part of a score', () => {
  const model = learned(1200);
  const features = featuresOf({ surface: 's1', locale: 'l1' }, { traits: { a: 1, b: 2, c: 3, d: 4 } });
  const { rows } = new Reader(model, features, null, DEFAULT_COPY);
  expect(rows.rows.length).toBeGreaterThan(0);
  expect(Math.max(...rows.rows)).toBeLessThan(model.copyRows);
  expect(model.copyRows).toBeLessThan(model.views.tables[DEFAULT_COPY]!.rows.size);
});

test('the same model is read from a snapshot whose blocks were limited', () => {
  const model = learned(1200);
  const read = parseModel(serialiseModel(model))!;
  expect(read.copyRows).toBe(model.copyRows);
  expect(serialiseModel(read)).toBe(serialiseModel(model));
});

test('a content or category that is still learned stays, however many others come and go', () => {
  const model = emptyModel();
  const meet = (contentId: string, category: string) => {
    const { known } = partsOf(model, { ...entry(contentId, 0), contentId, category, decision: 0 }, false);
    return known;
  };
  const evergreen = meet('evergreen', 'evergreen');
  for (let i = 0; i < 10_100; i++) {
    meet(`content ${i}`, `category ${i}`);
    if (i % 500 === 0) expect(meet('evergreen', 'evergreen')).toBe(evergreen);
  }
  expect(meet('evergreen', 'evergreen')).toBe(evergreen);
  expect(model.contents.size).toBe(10_000);
  expect(model.categories.size).toBe(1000);
});
