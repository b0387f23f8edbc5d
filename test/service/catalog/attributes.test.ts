import { expect, test } from 'vitest';
import { attributesOf, MAX_ATTRIBUTES, scaleOf } from '../../../src/service/catalog/attributes.ts';
import { decide } from '../../../src/service/decisions/engine/decide.ts';
import { emptyModel } from '../../../src/service/decisions/engine/model.ts';
import { parseModel, serialiseModel } from '../../../src/service/decisions/engine/snapshot.ts';
import { content, entry, learned, situation } from '../decisions/engine/situations.ts';

const [RED, BLUE] = [11, 22];

/** Contents of different categories; those with the first tag earn, and one of each tag was never chosen. */
const contents = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, i) =>
  content(id, { category: `category ${i}`, attributes: [i % 2 ? BLUE : RED] }),
);
const log = Array.from({ length: 200 }, (_, i) => {
  const { contentId, category, attributes } = contents[i % 4]!;
  return entry(contentId, i % 2 ? 0 : 1, { category, attributes });
});
const rankingsOf = (model = emptyModel(), of = contents) => {
  const { candidates } = decide(situation({ contents: of, context: { surface: 'home' }, model }));
  return Object.fromEntries(candidates.map(({ contentId, ranking }) => [contentId, ranking]));
};

test('a content has the format and tags that it shares with some of the others, each once', () => {
  const [a, b, c, d] = attributesOf([
    { format: 'card', tags: ['x', 'y', 'all'] },
    { format: 'card', tags: ['x', 'x', 'all'] },
    { format: 'modal', tags: ['card', 'all'] },
    { format: 'embedded', tags: ['y', 'all'] },
  ]);
  expect(a).toHaveLength(3);
  expect(b).toEqual(a!.slice(0, 2));
  expect(c).toEqual([]);
  expect(d).toEqual(a!.slice(2));
});

test('a tag is not taken for a format of the same name', () => {
  const [a, b, c] = attributesOf([
    { format: 'card', tags: ['modal'] },
    { format: 'modal', tags: [] },
    { format: 'embedded' },
  ]);
  expect([a, b, c]).toEqual([[], [], []]);
});

test('of too many tags the most frequent ones count', () => {
  const rare = Array.from({ length: 2 * MAX_ATTRIBUTES }, (_, i) => ({
    format: 'card',
    tags: [`rare ${i % MAX_ATTRIBUTES}`],
  }));
  const often = Array.from({ length: 5 }, () => ({ format: 'card', tags: ['often'] }));
  const found = attributesOf([...rare, ...often]);
  expect(new Set(found.flat()).size).toBe(MAX_ATTRIBUTES);
  expect(found.at(-1)).toHaveLength(1);
});

test('contents with a tag learn from one another across categories', () => {
  const before = rankingsOf();
  const after = rankingsOf(learned(log));
  expect(after.e).toBeGreaterThan(2 * before.e!);
  expect(after.f).toBeLessThan(before.f!);
  const plain = log.map((each) => ({ ...each, attributes: [] }));
  expect(rankingsOf(learned(plain)).e).toBe(before.e);
});

test('a content without outcomes ranks by its prior, whatever its tags', () => {
  for (const count of [0, 1, 3, 11]) {
    const attributes = Array.from({ length: count }, (_, i) => i);
    expect(rankingsOf(emptyModel(), [content('a', { attributes })]).a).toBeCloseTo(0.1, 2);
    expect(count * scaleOf(count) ** 2).toBeLessThanOrEqual(3.000001);
  }
});

test('the model of a snapshot has the same attributes, and learns on the same', () => {
  const whole = learned(log);
  const model = parseModel(serialiseModel(learned(log.slice(0, 90))))!;
  expect([...model.attributes.keys()].sort()).toEqual([RED, BLUE]);
  expect(serialiseModel(learned(log.slice(90), model))).toBe(serialiseModel(whole));
});

test('a snapshot with unsound attributes is rejected', () => {
  const stored = JSON.parse(serialiseModel(learned(log)));
  const [attribute] = stored.attributes;
  for (const attributes of [
    undefined,
    [attribute.with(0, 'red')],
    [attribute.with(4, '')],
    Array(MAX_ATTRIBUTES + 1).fill(attribute),
  ])
    expect(parseModel(JSON.stringify({ ...stored, attributes }))).toBeNull();
  const waiting = (attributes: unknown) =>
    parseModel(
      JSON.stringify({
        ...stored,
        pending: [[[7, log[0]!.at, 0.1, 200, 0], ['a', 'any'], null, [[], [], []], attributes]],
      }),
    );
  expect(waiting([RED])!.pending.get(7)!.attributes).toEqual([RED]);
  for (const damage of [undefined, null, ['red'], Array(100).fill(1)]) expect(waiting(damage)).toBeNull();
});

test('the attributes that were not met for the longest time make room', () => {
  const every = Array.from({ length: MAX_ATTRIBUTES + 50 }, (_, i) =>
    entry('a', 0, { attributes: [1000 + i] }),
  );
  const model = learned(every);
  expect(model.attributes.size).toBe(MAX_ATTRIBUTES);
  expect(model.attributes.has(1000)).toBe(false);
  expect(parseModel(serialiseModel(model))).not.toBeNull();
});
