import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IngestEventsRequest } from '../../../src/contract/schemas.ts';
import { isSurelyValidIngest } from '../../../src/service/http/quick-check.ts';

const TIME = '2026-01-31T12:00:00Z';
const event = { userId: 'u', event: 'e', timestamp: TIME };
const accepted = (value: unknown) => IngestEventsRequest.safeParse(value).success;

test('accepts an ordinary body without the schema', () => {
  const properties = { screen: 'home', amount: 1.5, first: false, '': 'odd' };
  expect(isSurelyValidIngest({ events: [event, { ...event, properties }] })).toBe(true);
  expect(isSurelyValidIngest({ events: Array.from({ length: 1000 }, () => event) })).toBe(true);
});

test('never accepts what the schema rejects', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'u',
      '',
      'x'.repeat(256),
      'x'.repeat(257),
      TIME,
      '2026-02-30T12:00:00Z',
      null,
      undefined,
      7,
    ),
    fc.anything(),
  );
  const properties = fc.oneof(
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.oneof(part, fc.double())),
    part,
  );
  const record = fc.oneof(
    fc.record(
      { userId: part, event: part, timestamp: fc.oneof(fc.constant(TIME), part), properties, extra: part },
      { requiredKeys: [] },
    ),
    fc.record({
      userId: fc.string({ minLength: 1 }),
      event: fc.string({ minLength: 1 }),
      timestamp: fc.constant(TIME),
      properties,
    }),
    part,
  );
  const body = fc.oneof(
    fc.record({ events: fc.array(record, { maxLength: 3 }) }),
    fc.record(
      { events: fc.oneof(fc.array(record, { maxLength: 3 }), part), more: part },
      { requiredKeys: [] },
    ),
  );
  let quick = 0;
  fc.assert(
    fc.property(body, (value) => {
      let wire: unknown;
      try {
        wire = JSON.parse(JSON.stringify(value) ?? 'null');
      } catch {
        return;
      }
      if (!isSurelyValidIngest(wire)) return;
      quick++;
      expect(accepted(wire), JSON.stringify(wire)).toBe(true);
    }),
    { numRuns: 5000 },
  );
  expect(quick).toBeGreaterThan(20);
});

test.each([
  ['no events', { events: [] }],
  ['too many', { events: Array.from({ length: 1001 }, () => event) }],
  ['another top-level field', { events: [event], more: 1 }],
  ['another field', { events: [{ ...event, id: 1 }] }],
  ['a long name', { events: [{ ...event, userId: 'x'.repeat(257) }] }],
  ['a local time', { events: [{ ...event, timestamp: '2026-01-31T12:00:00' }] }],
  ['nested properties', { events: [{ ...event, properties: { a: [] } }] }],
  ['a null property', { events: [{ ...event, properties: { a: null } }] }],
  [
    'an infinite number',
    JSON.parse(
      '{"events":[{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"a":1e999}}]}',
    ),
  ],
  ['properties as a list', { events: [{ ...event, properties: [1] }] }],
])('defers to the schema: %s', (_, value) => {
  expect(isSurelyValidIngest(value)).toBe(false);
  expect(accepted(value)).toBe(false);
});
