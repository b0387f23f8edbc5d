import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scanEvent } from '../../../../../src/features/import/formats/json/scan-event.ts';
import { checkRecord } from '../../../../../src/features/import/mapping/validate.ts';

/** Index behind the record, or -1. */
function scan(text: string): number {
  return scanEvent(Buffer.from(`${text}\n`), 0);
}
const bytes = (text: string) => Buffer.byteLength(text);

const space = fc.constantFrom('', '', '', ' ', '\t', '  ', '\r');
const plain = fc.constantFrom('a', 'b', 'é', '😀', '\\n', '\\u00e9', '\\\\');
const odd = fc.constantFrom('\\ud83d\\ude00', '\\ud83d', '\\u0000', '\\x', '\\u12', '"', '\n');
const letter = fc.oneof({ weight: 60, arbitrary: plain }, { weight: 1, arbitrary: odd });
const quoted = fc.array(letter, { maxLength: 6 }).map((parts) => `"${parts.join('')}"`);
const timestamp = fc.constantFrom(
  '"2026-01-31T12:00:00Z"',
  '"2024-02-29T23:59:59.123456789Z"',
  '"2023-02-29T00:00:00Z"',
  '"2026-04-31T00:00:00Z"',
  '"2026-13-01T00:00:00Z"',
  '"2026-01-01T24:00:00Z"',
  '"2026-01-01T00:00:60Z"',
  '"2026-01-01T00:00:00+00:00"',
  '"2026-01-01T00:00:00.Z"',
  '"2026-01-01T00:00:00.1234567890Z"',
  '"0000-01-01T00:00:00Z"',
  '"1900-02-29T00:00:00Z"',
  '"2026-01-01 00:00:00Z"',
  '"2026-1-01T00:00:00Z"',
  '1700000000',
);
const oddLiteral = fc.constantFrom(
  ...[
    '0',
    '-0',
    '1.50',
    '01',
    '1.',
    '.5',
    '-',
    '1e5',
    '1e999',
    '-1.5E-3',
    '12345678901234567890',
    '+1',
    'NaN',
  ],
  ...['true', 'false', 'null', 'tru', 'True', '{}', '[]', '{"a":1}', '9'.repeat(400), '"x"', ''],
);
const literal = fc.oneof(
  {
    weight: 40,
    arbitrary: fc.constantFrom('0', '-0', '1.50', '12345678901234567890', 'true', 'false', '"x"'),
  },
  { weight: 1, arbitrary: oddLiteral },
);
const oddName = fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"', '"constructor"', '""', '"_"');
const name = fc.oneof(
  { weight: 40, arbitrary: fc.integer({ min: 0, max: 9999 }).map((n) => `"p${n}"`) },
  { weight: 1, arbitrary: fc.oneof(oddName, quoted) },
);
const properties = fc
  .array(fc.tuple(name, space, space, fc.oneof(literal, quoted)), { maxLength: 36 })
  .map((members) => `{${members.map(([n, a, b, v]) => `${n}${a}:${b}${v}`).join(',')}}`);
const long = fc.constantFrom(
  `"${'x'.repeat(256)}"`,
  `"${'x'.repeat(257)}"`,
  `"${'x'.repeat(128)}"`,
  `"${'x'.repeat(129)}"`,
  `"${'é'.repeat(200)}"`,
  '""',
  '"u"',
);
const member = fc.oneof(
  fc.tuple(fc.constantFrom('"userId"', '"event"', '"eventId"'), fc.oneof(quoted, long, literal)),
  fc.tuple(fc.constant('"timestamp"'), timestamp),
  fc.tuple(fc.constant('"properties"'), fc.oneof(properties, literal)),
  fc.tuple(fc.constantFrom('"userid"', '"extra"', '"__proto__"', '"user\\u0049d"', '"event '), literal),
);
const mostly = fc
  .tuple(
    quoted,
    quoted,
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('"2026-01-31T12:00:00.5Z"') },
      { weight: 1, arbitrary: timestamp },
    ),
    properties,
    fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: fc.array(member, { maxLength: 1 }) },
    ),
  )
  .map(([user, event, time, props, more]): (readonly [string, string])[] => [
    ['"userId"', user],
    ['"event"', event],
    ['"timestamp"', time],
    ['"properties"', props],
    ...more,
  ]);
const record = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: mostly }, { weight: 1, arbitrary: fc.array(member, { maxLength: 6 }) }),
    space,
    space,
    space,
    space,
  )
  .map(
    ([members, a, b, c, d]) => `${a}{${members.map(([n, v]) => `${b}${n}${c}:${d}${v}${a}`).join(',')}${c}}`,
  );

test('the scan accepts only records that the schema accepts', () => {
  let passed = 0;
  fc.assert(
    fc.property(record, (text) => {
      const end = scan(text);
      if (end < 0) return;
      passed++;
      expect(end).toBe(bytes(text));
      expect(checkRecord({ kind: 'events', validate: true }, text)).toBeNull();
    }),
    { numRuns: 20_000 },
  );
  expect(passed).toBeGreaterThan(500);
});

test('the scan never accepts a randomly damaged record that the schema rejects', () => {
  const valid = Buffer.from(
    '{"userId":"u1","event":"e","timestamp":"2026-01-31T12:00:00.5Z","properties":{"a":-1.5,"b":true,"c":"x\\u00e9"}}',
  );
  fc.assert(
    fc.property(fc.nat(valid.length - 1), fc.integer({ min: 32, max: 126 }), (at, byte) => {
      const text = Buffer.from(valid);
      text[at] = byte;
      const end = scan(text.toString());
      if (end >= 0)
        expect(checkRecord({ kind: 'events', validate: true }, text.subarray(0, end).toString())).toBeNull();
    }),
    { numRuns: 10_000 },
  );
});

test('ordinary records are accepted by the scan', () => {
  const word = fc.stringMatching(/^[\w é/-]{1,40}$/u);
  const event = fc.record({
    userId: word,
    event: word,
    timestamp: fc
      .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
    properties: fc.dictionary(
      fc.stringMatching(/^[a-z][\w]{0,12}$/),
      fc.oneof(
        word,
        fc.boolean(),
        fc.integer(),
        fc.integer().map((n) => n / 4),
      ),
      { maxKeys: 20 },
    ),
  });
  fc.assert(
    fc.property(event, fc.constantFrom(undefined, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent).replaceAll('\n', ' ');
      expect(scan(text)).toBe(bytes(text));
    }),
  );
});

test.each([
  [
    'a name twice',
    '{"userId":"a","userId":"b","event":"e","timestamp":"2026-01-31T12:00:00Z"}',
    'userId',
    'is given twice',
  ],
  [
    'a property twice, spelled differently',
    '{"userId":"a","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"a":1,"\\u0061":2}}',
    'properties.a',
    'is given twice',
  ],
  [
    '__proto__',
    '{"userId":"a","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"__proto__":1}}',
    'properties.__proto__',
    'is a name that some receivers drop',
  ],
  [
    'half a surrogate pair',
    '{"userId":"\\ud83d","event":"e","timestamp":"2026-01-31T12:00:00Z"}',
    'userId',
    'contains half of a surrogate pair, which is not a character',
  ],
])('the full check detects %s, which the schema after JSON.parse cannot', (_, text, field, reason) => {
  expect(scan(text)).toBe(-1);
  expect(checkRecord({ kind: 'events', validate: true }, text)).toEqual({ field, reason });
});
