import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type EventPlan,
  judge,
  judgeOf,
  MAX_VIOLATIONS,
  type PlannedEvent,
} from '../../src/contract/event-plan.ts';

const ORDER: PlannedEvent = {
  event: 'order',
  required: ['amount', 'currency'],
  properties: {
    amount: { type: 'number' },
    currency: { type: 'string', enum: ['EUR', 'USD'] },
    items: { type: 'integer' },
    paidAt: { type: 'string', format: 'date-time' },
    day: { type: 'string', format: 'date' },
    code: { type: ['string', 'integer'] },
  },
  additionalProperties: false,
};
const rulesOf = (plan: Omit<EventPlan, 'plan'>, event: string, properties: object) =>
  judge(judgeOf({ plan: [ORDER], ...plan }), event, properties).map(
    ({ property, rule, action }) => `${property} ${rule} ${action}`,
  );
const fine = { amount: 1.5, currency: 'EUR' };

test('judges what an event has', () => {
  expect(rulesOf({}, 'order', { ...fine, items: 2, code: 7, day: '2024-02-29' })).toEqual([]);
  expect(rulesOf({}, 'order', { ...fine, code: 'x', paidAt: '2024-02-29T12:00:00.5+01:00' })).toEqual([]);
  expect(rulesOf({ violations: 'refuse' }, 'order', { amount: 1 })).toEqual(['currency missing refuse']);
  expect(rulesOf({}, 'order', { ...fine, amout: 1 })).toEqual(['amout unknown-property warn']);
  expect(rulesOf({}, 'order', { amount: '1.5', currency: 'EUR' })).toEqual(['amount type warn']);
  expect(rulesOf({}, 'order', { amount: null, currency: 'eur' })).toEqual([
    'amount type warn',
    'currency enum warn',
  ]);
  expect(rulesOf({}, 'order', { ...fine, items: 1.5, code: true })).toEqual([
    'items type warn',
    'code type warn',
  ]);
  expect(rulesOf({}, 'order', { ...fine, day: '2023-02-29', paidAt: '2024-02-29T12:00:00' })).toEqual([
    'day format warn',
    'paidAt format warn',
  ]);
});

test('judges an event that is not in the plan as the plan says', () => {
  expect(rulesOf({}, 'ordr', {})).toEqual([' unknown-event warn']);
  expect(rulesOf({ unknownEvents: 'allow' }, 'ordr', {})).toEqual([]);
  expect(rulesOf({ unknownEvents: 'refuse', violations: 'warn' }, 'ordr', {})).toEqual([
    ' unknown-event refuse',
  ]);
  // Names of Object.prototype are names like others.
  expect(rulesOf({}, 'constructor', {})).toEqual([' unknown-event warn']);
  expect(rulesOf({}, 'order', { ...fine, toString: 'a' })).toEqual(['toString unknown-property warn']);
});

test('reports a bounded number', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`p${i}`, i]));
  expect(rulesOf({}, 'order', many)).toHaveLength(MAX_VIOLATIONS);
});

const scalar = fc.oneof(
  fc.constantFrom('EUR', 'eur', '', '1', 'true', '2024-02-29', '2023-02-29', '2024-02-29T10:00:00Z'),
  fc.constantFrom(0, 1, -1, 1.5, 1e300, 2 ** 60),
  fc.boolean(),
  fc.constant(null),
);
const names = ['a', 'b', 'c', 'd'];
const type = fc.constantFrom('string', 'number', 'integer', 'boolean') as fc.Arbitrary<
  'string' | 'number' | 'integer' | 'boolean'
>;
const property = fc.record(
  {
    type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(
      fc.constantFrom<string | number | boolean>('EUR', '', '2024-02-29', 0, 1, 1.5, true),
      { minLength: 1, maxLength: 4 },
    ),
    format: fc.constantFrom('date-time', 'date') as fc.Arbitrary<'date-time' | 'date'>,
  },
  { requiredKeys: ['type'] },
);

test('says what a validator of JSON Schema says', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  let refused = 0;
  const runs = 400;
  fc.assert(
    fc.property(
      fc.record(
        {
          properties: fc.dictionary(fc.constantFrom(...names), property, { maxKeys: 4 }),
          required: fc.subarray(names),
          additionalProperties: fc.boolean(),
        },
        { requiredKeys: ['properties'] },
      ),
      fc.dictionary(fc.constantFrom(...names), scalar),
      (schema, properties) => {
        const required = (schema.required ?? []).filter((name) => Object.hasOwn(schema.properties, name));
        const planned = { event: 'e', ...schema, required };
        const expected = ajv.compile({ type: 'object', ...schema, required })(properties);
        const found = judge(judgeOf({ plan: [planned] }), 'e', properties);
        if (!expected) refused++;
        expect(found.length === 0).toBe(expected);
      },
    ),
    { numRuns: runs },
  );
  expect(refused).toBeGreaterThan(runs / 10);
  expect(refused).toBeLessThan(runs);
});
