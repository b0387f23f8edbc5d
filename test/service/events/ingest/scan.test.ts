import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IngestEventsRequest } from '../../../../src/contract/schemas.ts';
import { isUtcDateTime } from '../../../../src/contract/timestamp.ts';
import { parsedBatch, scannedBatch } from '../../../../src/service/events/ingest/batch.ts';
import { scanEvents } from '../../../../src/service/events/ingest/scan.ts';
import { isUtcTime } from '../../../../src/service/events/ingest/time.ts';
import type { EventBatch } from '../../../../src/service/events/store/append.ts';
import { parseJson } from '../../../../src/service/http/json-body.ts';

const TIME = '2026-01-31T12:00:00Z';
const event = { userId: 'u', event: 'e', timestamp: TIME };

/** All that can be asked of a batch. */
function view(batch: EventBatch): unknown {
  const events = Array.from({ length: batch.length }, (_, i) => ({ ...batch.at(i) }));
  const names = events.filter((_, i) => i % 2 === 0).map(({ event: name }) => name);
  const named = [...batch.named([...names, 'another'])].map(([i, { userId }]) => [i, userId]);
  return {
    text: batch.text,
    columns: [...batch.columns(), batch.idColumn()],
    ids: idTexts(batch),
    events: events.map(({ userId, event: name, timestamp }) => [userId, name, timestamp]),
    named,
  };
}

/** The ids of a batch, and the indexes of their events. */
function idTexts(batch: EventBatch): unknown {
  const ids = batch.ids();
  return ids?.indexes.map((index, i) => {
    const [from, to] = ids.ranges.slice(2 * i);
    return [index, Buffer.from(ids.bytes).toString('utf8', from, to)];
  });
}

/** The batch that the parser and the schema make of a body; undefined if they refuse it. */
function parsed(body: Buffer): EventBatch | undefined {
  try {
    const { value, ...json } = parseJson(body);
    return parsedBatch(json, IngestEventsRequest.parse(value));
  } catch {
    return undefined;
  }
}

/** The batch of the fast path; undefined if it leaves the body to the parser. Both must agree. */
function scanned(body: Buffer): EventBatch | undefined {
  const ranges = scanEvents(body);
  if (!ranges) return undefined;
  const batch = scannedBatch(body, ranges);
  const expected = parsed(body);
  // Not by the matchers: this runs thousands of times.
  const same = expected !== undefined && isDeepStrictEqual(view(batch), view(expected));
  if (!same) throw new Error(`the parser does not agree: ${body}`);
  return batch;
}

test('accepts an ordinary body without the schema', () => {
  const properties = { screen: 'home', amount: -1.5, first: false, '': 'odd é😀 "quoted"\n', none: {} };
  const { none: _, ...flat } = properties;
  const body = (value: unknown, space?: number) => Buffer.from(JSON.stringify(value, undefined, space));
  for (const space of [0, 2]) {
    expect(scanned(body({ events: [event, { ...event, properties: flat }] }, space))).toBeDefined();
    expect(scanned(body({ events: [{ ...event, properties: {} }, event] }, space))).toBeDefined();
  }
  expect(scanned(body({ events: Array.from({ length: 1000 }, () => event) }))).toBeDefined();
  expect(
    scanned(
      Buffer.from(
        `{"events":[{"properties":{"n":12345678901234567890.10},"event":"e","timestamp":"${TIME}","userId":"é"}]}`,
      ),
    ),
  ).toBeDefined();
});

test('never accepts what the schema rejects', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'u',
      '',
      'x'.repeat(256),
      'x'.repeat(257),
      'é'.repeat(200),
      TIME,
      '2026-02-30T12:00:00Z',
      null,
      7,
    ),
    fc.constantFrom(
      '2024-02-29T23:59:59Z',
      '2026-01-01T24:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-01T00:00:00.5Z',
    ),
    fc.anything(),
  );
  const text = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
  const scalar = fc.oneof(text, fc.boolean(), fc.double(), fc.integer(), fc.maxSafeInteger());
  const properties = fc.oneof(
    fc.dictionary(text, scalar),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.oneof(part, fc.double())),
    part,
  );
  const record = fc.oneof(
    fc.record({ userId: part, event: part, timestamp: part, properties, extra: part }, { requiredKeys: [] }),
    fc.record({ userId: text, event: text, timestamp: fc.oneof(fc.constant(TIME), part), properties }),
    fc.record({ userId: text, event: text, timestamp: fc.constant(TIME) }),
    fc.record({ userId: text, event: text, timestamp: fc.constant(TIME), eventId: fc.oneof(text, part) }),
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
    fc.property(body, fc.constantFrom(0, 1), (value, space) => {
      let json: string | undefined;
      try {
        json = JSON.stringify(value, undefined, space);
      } catch {
        return;
      }
      if (scanned(Buffer.from(json ?? 'null'))) quick++;
    }),
    { numRuns: 2000 },
  );
  expect(quick).toBeGreaterThan(20);
});

test('never accepts what the parser rejects: an ordinary body with any byte changed, removed or added', () => {
  const properties = { a: 'x\\y', b: -12.5, c: true, d: 'é' };
  const sent = Buffer.from(JSON.stringify({ events: [{ ...event, properties }, event] }));
  const bytes = [...Buffer.from('"\\{}],: 0-eu\u0000'), 0x80, 0xc3, 0xff];
  let quick = 0;
  for (let at = 0; at <= sent.length; at++)
    for (const change of [[], ...bytes.map((byte) => [byte])])
      for (const removed of [0, 1]) {
        const body = Buffer.concat([sent.subarray(0, at), Buffer.from(change), sent.subarray(at + removed)]);
        if (scanned(body)) quick++;
      }
  expect(quick).toBeGreaterThan(100);
});

const one = (properties: string) =>
  `{"events":[{"userId":"u","event":"e","timestamp":"${TIME}","properties":${properties}}]}`;

test.each([
  ['no events', { events: [] }],
  ['too many', { events: Array.from({ length: 1001 }, () => event) }],
  ['another top-level field', { events: [event], more: 1 }],
  ['another field', { events: [{ ...event, id: 1 }] }],
  ['a missing field', { events: [{ userId: 'u', event: 'e' }] }],
  ['a long name', { events: [{ ...event, userId: 'x'.repeat(257) }] }],
  ['a local time', { events: [{ ...event, timestamp: '2026-01-31T12:00:00' }] }],
  ['a date that does not exist', { events: [{ ...event, timestamp: '2026-02-30T12:00:00Z' }] }],
  ['nested properties', { events: [{ ...event, properties: { a: [] } }] }],
  ['a null property', { events: [{ ...event, properties: { a: null } }] }],
  ['an infinite number', one('{"a":1e999}')],
  ['properties as a list', { events: [{ ...event, properties: [1] }] }],
  ['a name twice', one('{"a":1,"b":2,"a":3}')],
  ['a name twice in two spellings', one('{"a":1,"\\u0061":3}')],
  ['a field twice', `{"events":[{"userId":"u","userId":"v","event":"e","timestamp":"${TIME}"}]}`],
  ['a reserved name', one('{"__proto__":1}')],
  ['an unpaired surrogate', one('{"a":"\\ud800"}')],
  ['U+0000', one('{"a":"\\u0000"}')],
  ['a long property name', one(JSON.stringify({ ['x'.repeat(257)]: 1 }))],
  [
    '100,000 values',
    `{"events":[${Array(1000)
      .fill(
        one(JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, i])))).slice(11, -2),
      )
      .join(',')}]}`,
  ],
])('leaves to the parser and the schema, which refuse it: %s', (_, value) => {
  const body = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
  expect(scanEvents(body)).toBeUndefined();
  expect(parsed(body)).toBeUndefined();
});

test('reads times as the contract does', () => {
  const edges = [
    ...['00', '01', '02', '04', '09', '12', '13'].flatMap((month) =>
      ['00', '01', '28', '29', '30', '31', '32'].map((day) => `2024-${month}-${day}T12:00:00Z`),
    ),
    ...['2023-02-29T00:00:00Z', '2026-01-01T23:59:59.999Z', '2026-01-01T24:00:00Z', '2026-01-01T00:60:00Z'],
    ...[
      '2026-01-01T00:00:60Z',
      '2026-01-01T00:00:00.Z',
      '2026-01-01T00:00:00.1234567890Z',
      '2026-01-01T00:00:00',
    ],
    ...[
      '2026-01-01T00:00:00.123456789Z',
      '2026-01-01T00:00:00,5Z',
      '2026-01-01T00:00:00.5',
      '2026-01-01T00:00:00.5zZ',
    ],
  ];
  for (const text of edges) {
    const bytes = Buffer.from(`"${text}"`);
    expect(isUtcTime(bytes, 1, bytes.length - 1), text).toBe(isUtcDateTime(text));
  }
});
