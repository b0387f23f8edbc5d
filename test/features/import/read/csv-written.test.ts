import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileTimestampFormat } from '../../../../src/features/import/transform/timestamp-formats.ts';
import { collect } from '../../../support/collect.ts';

const T = '2026-01-31T12:00:00Z';
type Options = NonNullable<Parameters<typeof collect>[1]>;
type Rows = NonNullable<Options['rows']>;

/** Maps each row as text, from its cells. */
const plainly: Rows = (mapper) => ({ notices: mapper.notices, record: (cells) => mapper.record(cells) });

/** Imports a CSV from the bytes of its rows and from the text of its cells, and compares all that comes out. */
async function bothWays(text: string | Buffer, options: Options) {
  let asText = 0;
  const counted: Rows = (mapper) => ({
    notices: mapper.notices,
    writer: mapper.writer,
    record: (cells) => {
      asText++;
      return mapper.record(cells);
    },
  });
  const written = await collect(text, { csv: true, ...options, rows: counted });
  const plain = await collect(text, { csv: true, ...options, rows: plainly });
  const view = ({ records, rejects, read, batches, notices }: typeof plain) => ({
    records,
    rejects,
    read,
    notices,
    spans: batches.map(({ start, end, firstLine, lastLine }) => [start, end, firstLine, lastLine]),
    places: batches.flatMap(({ records: table, body }) =>
      Array.from({ length: table.count }, (_, i) => [table.line[i], table.offset[i], table.raw(i, body)]),
    ),
  });
  expect(view(written)).toEqual(view(plain));
  return { records: written.records.length, asText };
}

const cell = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '',
      'a',
      'user',
      '5',
      '33.20',
      '-1',
      'true',
      'false',
      T,
      '2026-01-31 12:00:00',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('31.01.2026 12:00', '1706702400', 'NULL', '-', '1,5', '007', '1e5'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'say "hi"',
      'two\nlines',
      'two\r\nlines',
      'tab\t',
      'back\\slash',
      'é',
      '😀',
      '\u0001',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('\0', '\r', '"', '""', '\u007f', '\u2028', ' 5', '1.', '+1', '--', '0x1'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('9'.repeat(16), '9'.repeat(400), 'x'.repeat(257), '2026-02-30T00:00:00Z'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
);
const time = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(T, '2026-01-31 12:00:00', '2026-01-31T12:00:00.5Z', '31.01.2026 12:00'),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '2026-01-31 12:00:00.123456789',
      ' 2026-01-31 12:00:00',
      '2026-13-01 00:00:00',
      '20260131',
      '',
    ),
  },
);
const row = fc.tuple(
  fc.constantFrom('u', 'user-1', 'Zoë', '', 'NULL', 'a"b'),
  time,
  ...Array.from({ length: 5 }, () => cell),
);
const mappings: fc.Arbitrary<Options> = fc.record(
  {
    convert: fc.constantFrom('UTC', 'Europe/Berlin'),
    timestampFormat: fc.constantFrom(
      ...['YYYY-MM-DD HH:mm:ss', 'DD.MM.YYYY HH:mm', 'YYYYMMDD', 'YYYY-MM-DDTHH:mm:ss.SZ', 'epoch-s'].flatMap(
        (format) =>
          ['UTC', 'Europe/Berlin'].map((zone) => ({ format: compileTimestampFormat(format), zone })),
      ),
    ),
    decimalComma: fc.boolean(),
    nullTexts: fc.constantFrom(new Set(['NULL']), new Set(['', '-', 'a"b'])),
    extraFields: fc.constantFrom('properties' as const, 'drop' as const),
    quote: fc.constantFrom('none' as const, undefined),
    columnTypes: fc.constant(
      new Map([['n', 'number'] as const, ['b', 'boolean'] as const, ['s', 'string'] as const]),
    ),
    types: fc.constantFrom<Options['types'] & object>({ n: 'number', t: 'boolean' }, { s: 'number' }),
  },
  { requiredKeys: [] },
);

test('a record written from the bytes of its row is the one mapped from its cells, for any table and mapping', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 12 }),
      fc.constantFrom(',', ';', '\t', '|', '||'),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom(1, 17, 1000),
      fc.boolean(),
      mappings,
      async (rows, delimiter, record_delimiter, chunk, bom, options) => {
        const header = ['userId', 'timestamp', 'n', 'b', 's', 't', 'a "name"'];
        // Without quotes, a line break or a delimiter in a cell makes rows of other lengths than the header.
        const plain = (cell: string) => cell.replace(/[\n,;|\t]/g, ' ');
        const cells = options.quote === 'none' ? rows.map((each) => each.map(plain)) : rows;
        const text = stringify([header, ...cells], {
          delimiter,
          record_delimiter,
          // Also where rows end in CRLF: a bare line feed ends a row for any reader.
          quoted_match: /\n/,
          quote: options.quote === 'none' ? false : '"',
          escape: '"',
        });
        const mapping: Options = { ...options, set: { event: 'e' }, delimiter, chunk };
        await bothWays((bom ? '\ufeff' : '') + text, mapping);
      },
    ),
    { numRuns: 60 },
  );
});

test('damaged bytes come out the same, wherever they are', async () => {
  const rows = `userId,event,timestamp,n\n${`u,"e",${T},5\n`.repeat(6)}u,"x ""y"" z\n",${T},\r\n`;
  await fc.assert(
    fc.asyncProperty(
      fc.nat(rows.length - 1),
      fc.constantFrom(0, 0x0a, 0x0d, 0x22, 0x2c, 0x5c, 0x80, 0xff, 0xed),
      fc.constantFrom(1, 5, 1000),
      async (at, byte, chunk) => {
        const bytes = Buffer.from(rows);
        bytes[at] = byte;
        await bothWays(bytes, { chunk }).catch((error: unknown) => {
          if (!(error instanceof Error) || error.name !== 'InputError') throw error;
        });
      },
    ),
    { numRuns: 60 },
  );
});

test('ordinary rows are written from their bytes, and only others are mapped as text', async () => {
  const ordinary = `u,e,${T},33.20,true,"quoted ""text"", two\nlines"\n`.repeat(500);
  const other = `u,e,${T},1e5,true,x\n`;
  const columnTypes = new Map([['price', 'number'] as const, ['ok', 'boolean'] as const]);
  const found = await bothWays(`userId,event,timestamp,price,ok,note\n${ordinary}${other}`, {
    columnTypes,
    chunk: 4096,
  });
  expect(found).toEqual({ records: 501, asText: 0 });
  const bad = await bothWays(`userId,event,timestamp\nu,e,${T}\n,e,${T}\n`, {});
  expect(bad).toEqual({ records: 1, asText: 1 });
});

test('rows of 40 and of 2,000 columns, and cells up to the longest record', async () => {
  const wide = (columns: number) => {
    const names = Array.from({ length: columns }, (_, n) => `c${n}`);
    return `userId,event,timestamp,${names.join(',')}\nu,e,${T},${names.map((_, n) => n).join(',')}\n`;
  };
  expect(await bothWays(wide(40), {})).toEqual({ records: 1, asText: 0 });
  expect(await bothWays(wide(2000), {})).toEqual({ records: 0, asText: 1 });
  const long = (length: number) =>
    `userId,event,timestamp,text\nu,e,${T},${'"'.repeat(2)}\nu,e,${T},${'x'.repeat(length)}\n`;
  expect(await bothWays(long(9000), {})).toEqual({ records: 2, asText: 0 });
  expect(await bothWays(long(20_000), {})).toEqual({ records: 2, asText: 1 });
  expect(await bothWays(long(8_388_000), {})).toEqual({ records: 2, asText: 1 });
});
