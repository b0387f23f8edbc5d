import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonMapper } from '../../../../src/features/import/mapping/map-json.ts';
import { madeJson } from '../../../support/collect.ts';
import { MAPPING } from '../../../support/scenarios/importer.ts';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

const FIELDS = { userId: 'u', event: 'e', timestamp: '2026-01-31T12:00:00Z' };
/** Names without a point, so that a dotted name can be taken apart again. */
const names = fc.stringMatching(/^[a-zA-Z$_ é]{1,5}$/).filter((name) => name !== '__proto__');
const scalars = fc.oneof(
  fc.string({ maxLength: 8, unit: 'grapheme' }),
  fc.integer(),
  // JSON has no negative zero.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
);
const level = (inner: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc.oneof(scalars, fc.array(inner, { maxLength: 3 }), fc.dictionary(names, inner, { maxKeys: 3 }));
const nested = fc.dictionary(names, level(level(level(scalars))), { maxKeys: 4 });

/** What a mapper makes of the properties of an event, which is written with random white space. */
function properties(given: Json, spaces: number, options: object): Record<string, Json> {
  const mapper = jsonMapper({ ...MAPPING, ...options });
  const text = JSON.stringify({ ...FIELDS, properties: given }, null, spaces);
  const made = mapper(text);
  const record = 'unchanged' in made ? JSON.parse(text) : madeJson(made);
  if (!('userId' in record)) throw new Error(JSON.stringify(made));
  return record.properties ?? {};
}

/** The leaves of a value by their dotted names, made from parsed JSON. */
function leaves(value: Json, name: string): [string, Json][] {
  const isEmpty = (some: object) => Object.keys(some).length === 0;
  if (typeof value !== 'object' || value === null) return [[name, value]];
  if (isEmpty(value)) return [[name, JSON.stringify(value)]];
  return Object.entries(value).flatMap(([inner, one]) => leaves(one, `${name}.${inner}`));
}

test('--nested flatten gives every leaf of any JSON its dotted name, and nothing else', () => {
  fc.assert(
    fc.property(nested, fc.nat(2), (given, spaces) => {
      const expected = Object.entries(given).flatMap(([name, value]) => leaves(value, name));
      expect(properties(given, spaces, { nested: 'flatten' })).toEqual(Object.fromEntries(expected));
    }),
  );
});

test('--nested json keeps any JSON, as the text of its property', () => {
  fc.assert(
    fc.property(nested, fc.nat(2), (given, spaces) => {
      const made = properties(given, spaces, { nested: 'json' });
      const back = Object.entries(given).map(([name, value]) => [
        name,
        typeof value === 'object' ? JSON.parse(String(made[name])) : made[name],
      ]);
      expect(Object.fromEntries(back)).toEqual(JSON.parse(JSON.stringify(given)));
      expect(Object.keys(made)).toEqual(Object.keys(given));
    }),
  );
});

test('a path that is mapped leaves its object, whatever is beside it', () => {
  fc.assert(
    fc.property(nested, names, fc.nat(2), (given, name, spaces) => {
      const rule = { target: 'found', sources: [[`properties.outer.${name}`]] };
      const outer = { ...given, [name]: 'value' };
      const made = properties({ outer }, spaces, { map: [rule], nested: 'json' });
      const { [name]: _, ...rest } = outer;
      expect(made.found).toBe('value');
      if (Object.keys(rest).length === 0) expect(made).not.toHaveProperty('outer');
      else expect(JSON.parse(String(made.outer))).toEqual(JSON.parse(JSON.stringify(rest)));
    }),
  );
});
