import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matchesFilter, propertiesOf } from '../../../src/kit/event-filter/match.ts';
import { MAX_FILTER, parseFilter, propertyKey, writeTerm } from '../../../src/kit/event-filter/parse.ts';

const NO_CONTROLS = fc
  .string({ unit: 'binary', maxLength: 40 })
  .filter((text) => !/[\u0000-\u001f\u007f]/.test(text));
const SCALAR = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
);
const PROPERTIES = fc.dictionary(
  fc.string({ unit: 'binary', maxLength: 10 }).filter((name) => name !== '__proto__'),
  SCALAR,
  { noNullPrototype: true },
);

describe('parseFilter', () => {
  it('parses every kind of term', () => {
    expect(
      parseFilter('  user:u-17,u-18 event:"page view" amount>=-1.5e2 -source:web "any word" a.b:1 '),
    ).toEqual({
      ok: true,
      terms: [
        { not: false, subject: { field: 'userId' }, values: ['u-17', 'u-18'] },
        { not: false, subject: { field: 'event' }, values: ['page view'] },
        { not: false, subject: { property: 'amount' }, comparison: '>=', number: -150 },
        { not: true, subject: { property: 'source' }, values: ['web'] },
        { not: false, subject: 'anything', values: ['any word'] },
        { not: false, subject: { property: 'a.b' }, values: ['1'] },
      ],
    });
    expect(parseFilter('')).toEqual({ ok: true, terms: [] });
    expect(parseFilter('properties.user:x at:12:30 "x:y":z')).toMatchObject({
      terms: [
        { subject: { property: 'user' } },
        { subject: { property: 'at' }, values: ['12:30'] },
        { subject: { property: 'x:y' } },
      ],
    });
  });

  it.each([
    ['amount>', 7, 'expected a number after >'],
    ['amount>ten', 7, 'expected a number after >'],
    ['amount>1e999', 7, 'expected a number after >'],
    ['user>3', 0, 'user is text: write user:value'],
    ['source:', 7, 'expected a value'],
    ['a:1, b:2', 4, 'expected a value after the comma'],
    ['a=1', 1, 'write key:value instead of key=value'],
    ['-', 1, 'expected a word, or key:value'],
    [':x', 0, 'expected a word, or key:value'],
    ['a "open', 2, 'the quote is not closed'],
    ['"a"b', 3, 'expected a space before the next term'],
    ['"":x', 0, 'the key is empty'],
    ['a\u0000', 1, 'control characters are not allowed'],
    ['a '.repeat(17), 32, 'a filter has at most 16 terms'],
    [`a:${'x,'.repeat(16)}x`, 34, 'a term has at most 16 values'],
    ['x'.repeat(MAX_FILTER + 1), MAX_FILTER, 'a filter has at most 1000 characters'],
  ])('refuses %j', (text, at, message) => {
    expect(parseFilter(text)).toEqual({ ok: false, at, message });
  });

  it('returns a result for any text, with an index inside it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab:,<>="\\- .1e\n\u0000é') }), (text) => {
        const parsed = parseFilter(text);
        if (!parsed.ok) expect(parsed.at).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});

describe('writeTerm', () => {
  it('writes what parses to the same key and value', () => {
    fc.assert(
      fc.property(NO_CONTROLS, NO_CONTROLS, fc.boolean(), (key, value, not) => {
        fc.pre(key !== '');
        expect(parseFilter(writeTerm(propertyKey(key), value, not))).toEqual({
          ok: true,
          terms: [{ not, subject: { property: key }, values: [value] }],
        });
        expect(parseFilter(writeTerm(undefined, value, not))).toEqual({
          ok: true,
          terms: [{ not, subject: 'anything', values: [value] }],
        });
      }),
    );
  });
});

describe('matchesFilter', () => {
  const matches = (filter: string, properties: object, isHidden?: () => boolean) => {
    const parsed = parseFilter(filter);
    if (!parsed.ok) throw new Error(parsed.message);
    return matchesFilter(
      parsed.terms,
      { userId: 'u', event: 'e', properties: JSON.stringify(properties) },
      isHidden,
    );
  };

  it('finds each property of an event by its name and value, and not by another value', () => {
    fc.assert(
      fc.property(PROPERTIES, (properties) => {
        for (const [name, value] of Object.entries(properties)) {
          const text = typeof value === 'string' ? value : JSON.stringify(value);
          if (name === '' || /[\u0000-\u001f\u007f]/.test(name + text)) continue;
          expect(matches(writeTerm(propertyKey(name), text), properties)).toBe(true);
          expect(matches(writeTerm(propertyKey(name), text, true), properties)).toBe(false);
          expect(matches(writeTerm(propertyKey(name), `${text}?`), properties)).toBe(false);
          expect(matches(writeTerm(undefined, text), properties)).toBe(true);
          if (typeof value === 'number' && !/[":<>=,\s]|^-/.test(name)) {
            const key = propertyKey(name);
            expect(matches(`${key}>=${value} ${key}<=${value} -${key}>${value}`, properties)).toBe(true);
          }
        }
      }),
    );
  });

  it('treats a hidden property as missing', () => {
    expect(matches('a:1', { a: 1 }, () => true)).toBe(false);
    expect(matches('-a:1', { a: 1 }, () => true)).toBe(true);
    expect(matches('a>0', { a: 1 }, () => true)).toBe(false);
  });

  it('reads properties as JSON.parse does', () => {
    fc.assert(
      fc.property(PROPERTIES, (properties) => {
        const read = propertiesOf(JSON.stringify(properties, null, 1));
        expect(Object.fromEntries(read.map(({ name, json }) => [name, JSON.parse(json)]))).toEqual(
          JSON.parse(JSON.stringify(properties)),
        );
      }),
    );
    expect(propertiesOf('{"a":1,"a":2}')).toEqual([{ name: 'a', text: '2', type: 'number', json: '2' }]);
  });
});
