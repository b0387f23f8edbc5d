import { expect, test } from 'vitest';
import { seededRandom } from '../../../../src/kit/random.ts';
import { featuresOf } from '../../../../src/service/domain/decide/features.ts';
import { fold } from '../../../../src/service/domain/decide/learning.ts';
import { emptyModel, ownBlock } from '../../../../src/service/domain/decide/model.ts';
import { parseModel, serialiseModel } from '../../../../src/service/domain/decide/snapshot.ts';

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
  expect(model.features.rows.size).toBeGreaterThan(45);
  // Without the bound on the blocks that grew first it was 46 MB.
  expect(8 * model.size).toBeLessThan(30e6);
  expect(Math.max(...[...model.contents.values()].map(({ block }) => block.capacity))).toBeLessThan(50);
});

test('a block without its last rows says the same of the others', () => {
  const model = learned(20);
  const { block } = model.contents.get('content_3')!;
  const rows = { rows: Int32Array.of(0, 2, 5), values: Float64Array.of(1, 0.7, 0.7) };
  expect(block.capacity).toBeGreaterThan(10);
  const before = [0, 1, 5].map((copy) => block.believe(copy, rows));
  block.truncate(6);
  expect(block.capacity).toBe(6);
  expect([0, 1, 5].map((copy) => block.believe(copy, rows))).toEqual(before);
  block.truncate(5);
  const unmet = ownBlock(0).believe(0, { rows: Int32Array.of(5), values: Float64Array.of(0.7) });
  const row = block.believe(0, { rows: Int32Array.of(5), values: Float64Array.of(0.7) });
  expect(row).toEqual(unmet);
});

test('a snapshot with covariances in double precision is read', () => {
  const model = learned(20);
  const stored = JSON.parse(serialiseModel(model));
  const doubles = (text: string) => {
    const bytes = Buffer.from(text, 'base64');
    const values = Float64Array.from(new Float32Array(new Uint8Array(bytes).buffer));
    return Buffer.from(values.buffer).toString('base64');
  };
  for (const block of stored.categories) block[4] = doubles(block[4]);
  for (const block of stored.contents) block[5] = doubles(block[5]);
  const read = parseModel(JSON.stringify({ ...stored, layout: 2 }));
  expect(serialiseModel(read!)).toBe(serialiseModel(model));
});
