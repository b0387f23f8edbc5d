import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collect } from '../../../support/collect.ts';

const event = (more = '') => `{"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z"${more}}`;
const exact = event(
  ',"properties":{"big":12345678901234567890,"price":1.50,"e":1E3,"s":"\\ud83d\\ude00 \\u00e9 é 😀 \\/","b":true}',
);

test('sends a valid record byte for byte: number spelling, escapes, key order and inner white space', async () => {
  const odd = `{ "timestamp" : "2026-01-31T12:00:00Z",\t"event":"e" , "userId":"u" }`;
  const { records, rejects } = await collect(`${exact}\n${odd}\n`);
  expect(records).toEqual([exact, odd]);
  expect(rejects).toEqual([]);
});

test('accepts a byte order mark, CRLF, blank lines and a missing last line feed', async () => {
  const { records, batches } = await collect(`\ufeff${exact}\r\n\r\n  \n${event()}\n\n${event()}`);
  expect(records.map((text) => text.trimEnd())).toEqual([exact, event(), event()]);
  expect([...batches[0]!.records.line.slice(0, 3)]).toEqual([1, 4, 6]);
});

const DAMAGED: [string, string | Buffer, string, string][] = [
  ['bad JSON', '{"userId":"u",', 'record', 'is not valid JSON: it is truncated'],
  ['an array', '[1]', 'record', 'must be a JSON object'],
  ['null', 'null', 'record', 'must be a JSON object'],
  ['invalid UTF-8', Buffer.from('7b22e9227d', 'hex'), 'record', 'is not valid UTF-8'],
  ['a wrong type', event().replace('"u"', '7'), 'userId', 'must be a string'],
  ['an empty field', event().replace('"u"', '""'), 'userId', 'must not be empty'],
  ['a missing field', event().replace('"userId":"u",', ''), 'userId', 'is missing'],
  [
    'a nested property',
    event(',"properties":{"a":{"b":1}}'),
    'properties.a',
    'must be a string, a number or a boolean; --nested flatten makes properties of it',
  ],
  [
    'a null property',
    event(',"properties":{"a":null}'),
    'properties.a',
    'must be a string, a number or a boolean; --nulls drop leaves nulls out',
  ],
  ['properties that are none', event(',"properties":[]'), 'properties', 'must be an object'],
  ['an unknown field', event(',"x":1'), 'x', 'is not a known field; use --extra-fields properties or drop'],
  [
    'a time that is none',
    event().replace('2026-01-31T12:00:00Z', 'yesterday'),
    'timestamp',
    'must be an ISO 8601 date-time in UTC, such as 2026-01-31T12:00:00Z',
  ],
  [
    'a time with an offset',
    event().replace('00Z', '00+02:00'),
    'timestamp',
    'must be an ISO 8601 date-time in UTC, such as 2026-01-31T12:00:00Z; use --convert-timestamps to convert it to UTC',
  ],
];

test.each(DAMAGED)(
  '%s is rejected alone, with its place, field and reason',
  async (_, line, field, reason) => {
    const raw = Buffer.from(line);
    const flag =
      reason === 'is not valid UTF-8'
        ? 'encoding'
        : /--(convert-timestamps|extra-fields|nested|nulls)/.exec(reason)?.[1];
    const lines = Buffer.concat([Buffer.from(`${event()}\n`), raw, Buffer.from(`\n${exact}\n`)]);
    const { records, rejects } = await collect(lines);
    expect(records).toEqual([event(), exact]);
    expect(rejects).toEqual([
      {
        file: 'a.ndjson',
        line: 2,
        offset: event().length + 1,
        field,
        reason,
        fixableBy: flag && [flag],
        raw: raw.toString(),
        ...(reason === 'is not valid UTF-8' ? { rawBase64: raw.toString('base64') } : {}),
      },
    ]);
  },
);

test('rejects a line that is larger than a request without buffering it', async () => {
  const long = event(`,"properties":{"a":"${'x'.repeat(50_000)}"}`);
  const { records, rejects, read } = await collect(`${event()}\n${long}\n${exact}\n${long}`, {
    longest: 1500,
    chunk: 300,
  });
  expect(records).toEqual([event(), exact]);
  expect(rejects.map(({ line, offset, reason, truncated }) => ({ line, offset, reason, truncated }))).toEqual(
    [
      {
        line: 2,
        offset: event().length + 1,
        reason: 'is longer than the longest record (1500 bytes)',
        truncated: true,
      },
      {
        line: 4,
        offset: Buffer.byteLength(event() + long + exact) + 3,
        reason: 'is longer than the longest record (1500 bytes)',
        truncated: true,
      },
    ],
  );
  expect(rejects[0]!.raw.length).toBeLessThanOrEqual(1024);
  expect(read).toBe(4);
});

test('yields the same records, lines and offsets however the input is chunked', async () => {
  const line = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.nat(60).map((n) => Buffer.from(event(`,"properties":{"a":"${'é'.repeat(n)}"}`))),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...['', '  ', 'bad', '[1]', `${event()}\r`].map((text) => Buffer.from(text)),
      ),
    },
    { weight: 1, arbitrary: fc.constant(Buffer.from([0x7b, 0xff, 0x7d])) },
    { weight: 1, arbitrary: fc.constant(Buffer.alloc(2000, 'y')) },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 30 }),
      fc.integer({ min: 1, max: 700 }),
      fc.boolean(),
      async (lines, chunk, feed) => {
        const bytes = Buffer.concat(
          lines.flatMap((text, i) => (i < lines.length - 1 || feed ? [text, Buffer.from('\n')] : [text])),
        );
        const whole = await collect(bytes, { longest: 1500 });
        const cut = await collect(bytes, { longest: 1500, chunk });
        expect(cut.records).toEqual(whole.records);
        expect(cut.rejects).toEqual(whole.rejects);
        for (const { records, body } of cut.batches)
          for (let i = 0; i < records.count; i++)
            expect(
              bytes.subarray(records.offset[i], records.offset[i]! + records.end[i]! - records.start[i]!),
            ).toEqual(body.subarray(records.start[i], records.end[i]));
      },
    ),
    { numRuns: 200 },
  );
});

test('batches hold at most 1,000 records and 8 MiB, and cover the input without a gap', async () => {
  const big = event(`,"properties":{"a":"${'x'.repeat(3_000_000)}"}`);
  const lines = [...Array(1500).fill(event()), big, big, big, event(), 'bad', ''].join('\n');
  const { batches, records } = await collect(lines);
  expect(batches.map((batch) => batch.records.count)).toEqual([1000, 502, 2]);
  expect(records).toHaveLength(1504);
  for (const batch of batches) expect(batch.body.length).toBeLessThanOrEqual(8 * 1024 * 1024);
  expect(batches[0]!.start).toBe(0);
  for (let i = 1; i < batches.length; i++) expect(batches[i]!.start).toBe(batches[i - 1]!.end);
  expect(batches.at(-1)!.end).toBe(lines.length);
});

test('--limit stops after so many records, valid or not; --max-errors stops at the reject itself', async () => {
  const lines = [event(), 'bad', event(), 'worse', event()].join('\n');
  const limited = await collect(lines, { batcher: { limit: 3 } });
  expect([limited.records.length, limited.rejects.length, limited.read]).toEqual([2, 1, 3]);
  const faulty = await collect(lines, { batcher: { maxErrors: 1 } });
  expect([faulty.records.length, faulty.rejects.length, faulty.read]).toEqual([1, 1, 2]);
});

test('shards by record contain each record once', async () => {
  const lines = Array.from({ length: 10 }, (_, n) => event(`,"properties":{"n":${n}}`));
  const text = lines.join('\n\n');
  const parts = await Promise.all([0, 1, 2].map((index) => collect(text, { deal: { index, count: 3 } })));
  expect(parts.map((part) => part.read)).toEqual([4, 3, 3]);
  expect(parts.flatMap((part) => part.records).sort()).toEqual(lines);
});

test('flags transform a record as text, so that numbers keep their spelling', async () => {
  const line = '{"id":"u","event":"e","timestamp":1700000000,"n":1.50,"big":12345678901234567890}';
  const { records, rejects } = await collect(`${line}\n`, {
    map: { userId: 'id' },
    set: { source: 'app', level: '3' },
    convert: 'UTC',
    extraFields: 'properties',
  });
  expect(rejects).toEqual([]);
  expect(records).toEqual([
    '{"userId":"u","event":"e","timestamp":"2023-11-14T22:13:20Z","properties":{"n":1.50,"big":12345678901234567890,"source":"app","level":3}}',
  ]);
});

test('--extra-fields drop removes fields, and sends unchanged records byte for byte', async () => {
  const { records } = await collect(`${event(',"x":{"deep":[1]}')}\n ${exact} \n`, {
    extraFields: 'drop',
    convert: 'UTC',
  });
  expect(records.map((text) => text.trim())).toEqual([event(), exact]);
});

test('--no-validate sends any JSON object and nothing else', async () => {
  const { records, rejects } = await collect('{"x":[1]}\n[1]\n{}\n', { validate: false });
  expect(records).toEqual(['{"x":[1]}', '{}']);
  expect(rejects).toHaveLength(1);
});
