import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { catalogChanges } from '../../../src/features/catalog/diff.ts';

const entry = fc.record({
  contentId: fc.constantFrom('a', 'b', 'c'),
  title: fc.constantFrom('x', 'y'),
  repeat: fc.option(fc.record({ mostPerUser: fc.nat(2) }), { nil: undefined }),
});
const catalog = fc.record(
  {
    contents: fc.array(entry, { maxLength: 4 }),
    settings: fc.dictionary(fc.constantFrom('p', 'q'), fc.nat(2)),
  },
  { requiredKeys: ['contents'] },
);
/** As it comes out of a file. */
const plain = (value: object) => JSON.parse(JSON.stringify(value));

it('finds a difference if and only if there is one', () => {
  fc.assert(
    fc.property(catalog, catalog, (a, b) => {
      const [before, after] = [plain(a), plain(b)];
      expect(catalogChanges(before, before)).toEqual([]);
      expect(catalogChanges(before, after).length === 0).toBe(isDeepStrictEqual(before, after));
    }),
  );
});

it('names contents by their identifier, and notices another order', () => {
  const a = { contentId: 'a', title: 'A' };
  const b = { contentId: 'b', title: 'B', repeat: { mostPerUser: 1 } };
  expect(
    catalogChanges({ contents: [a, b] }, { contents: [{ ...b, repeat: { mostPerUser: 2 } }, a] }),
  ).toEqual([
    { path: 'contents.b.repeat.mostPerUser', change: 'changed', before: 1, after: 2 },
    { path: 'contents', change: 'reordered' },
  ]);
  expect(catalogChanges({ contents: [a] }, { contents: [a, b] })).toEqual([
    { path: 'contents.b', change: 'added', after: b },
  ]);
});

it('names goals by their identifier', () => {
  const goal = { goalId: 'order', event: 'order_completed', within: '7d' };
  expect(catalogChanges({ goals: [goal] }, { goals: [{ ...goal, within: '14d' }] })).toEqual([
    { path: 'goals.order.within', change: 'changed', before: '7d', after: '14d' },
  ]);
});
