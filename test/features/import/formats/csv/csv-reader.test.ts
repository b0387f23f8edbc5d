import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { collect } from '../../../../support/collect.ts';

const HEAD = 'userId,event,timestamp';
const T = '2026-01-31T12:00:00Z';
const csv = async (text: string | Buffer, options: Parameters<typeof collect>[1] = {}) =>
  collect(text, { csv: true, ...options });

test('columns become fields and properties; a cell is a number or boolean only if it prints back the same', async () => {
  const cells = '5,01234,1.50,-0,1e3,true,TRUE,,0x10,Infinity,12345678901234567890,-1.5';
  const names = 'int,zip,price,zero,exp,yes,shout,empty,hex,inf,big,neg';
  const { records, rejects } = await csv(`${HEAD},${names}\nu,e,${T},${cells}\n`);
  expect(rejects).toEqual([]);
  expect(records).toEqual([
    `{"userId":"u","event":"e","timestamp":"${T}","properties":{"int":5,"zip":"01234","price":"1.50","zero":"-0","exp":"1e3","yes":true,"shout":"TRUE","hex":"0x10","inf":"Infinity","big":"12345678901234567890","neg":-1.5}}`,
  ]);
});

test('the README example of the real data: --map, --set and --convert-timestamps', async () => {
  const { records } = await csv('reviewerId,vendorId,rating,date\n0,7,5,2006-04-07 17:08\n', {
    map: { userId: 'reviewerId', timestamp: 'date' },
    set: { event: 'review_posted' },
    convert: 'UTC',
  });
  expect(records).toEqual([
    '{"event":"review_posted","userId":"0","timestamp":"2006-04-07T17:08:00Z","properties":{"vendorId":7,"rating":5}}',
  ]);
});

test('--type sets the type, and rejects only the cells that do not match', async () => {
  const { records, rejects } = await csv(
    `${HEAD},zip,n,b\nu,e,${T},1,007,1\nu,e,${T},2,x,0\nu,e,${T},3,+4.50,no\n`,
    {
      types: { zip: 'string', n: 'number', b: 'boolean' },
    },
  );
  expect(records).toEqual([
    `{"userId":"u","event":"e","timestamp":"${T}","properties":{"zip":"1","n":7,"b":true}}`,
  ]);
  expect(rejects.map(({ line, field, reason }) => [line, field, reason])).toEqual([
    [3, 'properties.n', 'must be a number'],
    [4, 'properties.b', 'must be true, false, 1 or 0'],
  ]);
});

test('a properties column holds a JSON object, whose numbers keep their spelling', async () => {
  const { records, rejects } = await csv(
    `${HEAD},properties,n\nu,e,${T},"{""a"":1.50,""big"":12345678901234567890}",2\nu,e,${T},nonsense,2\nu,e,${T},"{""n"":1}",2\n`,
  );
  expect(records).toEqual([
    `{"userId":"u","event":"e","timestamp":"${T}","properties":{"a":1.50,"big":12345678901234567890,"n":2}}`,
  ]);
  expect(rejects.map(({ field, reason }) => [field, reason])).toEqual([
    ['properties', 'must hold a JSON object'],
    ['properties.n', 'is given twice'],
  ]);
});

test.each([';', '\t', '|', ','])(
  'finds the delimiter %j, and reads BOM, CRLF and quoted line breaks',
  async (mark) => {
    const row = (...cells: string[]) => cells.join(mark);
    const text = [
      `\ufeff${row('userId', 'event', 'timestamp', '"a ""note"""')}`,
      row('u', 'e', T, '"two\r\nlines, ""quoted"" ; | \t"'),
      '',
      row('v', '"e"', T, '""'),
      row('w', 'e', T, 'last'),
    ].join('\r\n');
    const { records, batches, rejects } = await csv(text, { chunk: 7 });
    expect(rejects).toEqual([]);
    expect(records.map((record) => JSON.parse(record))).toEqual([
      { userId: 'u', event: 'e', timestamp: T, properties: { 'a "note"': 'two\r\nlines, "quoted" ; | \t' } },
      { userId: 'v', event: 'e', timestamp: T },
      { userId: 'w', event: 'e', timestamp: T, properties: { 'a "note"': 'last' } },
    ]);
    expect([...batches[0]!.records.line.slice(0, 3)]).toEqual([2, 5, 6]);
    const bytes = Buffer.from(text);
    for (const [at, start] of ['u', 'v', 'w'].entries())
      expect(
        bytes.toString('utf8', batches[0]!.records.offset[at], batches[0]!.records.offset[at]! + 1),
      ).toBe(start);
  },
);

const good = `g,e,${T}`;
test.each([
  ['too few cells', 'u,e', 'has 2 cells where the header has 3'],
  ['too many cells', `u,e,${T},x`, 'has 4 cells where the header has 3'],
  ['a stray quote', `u"x,e,${T}`, 'has a quote inside a cell that does not start with one'],
  ['text behind a quote', `"u"x,e,${T}`, 'has text after a closing quote'],
  ['a quote that is never closed', `"u,e,${T}`, 'has a quoted cell that is not closed'],
  ['invalid UTF-8', Buffer.from([0xff, 0x2c]), 'is not valid UTF-8'],
  ['an empty user', `,e,${T}`, 'is missing'],
  [
    'a local time',
    'u,e,2026-01-31 12:00',
    'must be an ISO 8601 date-time in UTC, such as 2026-01-31T12:00:00Z; use --convert-timestamps to convert it to UTC',
  ],
])('%s rejects only its own row', async (_, row, reason) => {
  const bytes = Buffer.concat([
    Buffer.from(`${HEAD}\n${good}\n`),
    Buffer.from(row),
    Buffer.from(`\n${good}\n${good}`),
  ]);
  for (const chunk of [1000, 3]) {
    const { records, rejects } = await csv(bytes, { chunk });
    expect(rejects.map((reject) => [reject.line, reject.offset, reject.reason, reject.raw])).toEqual([
      [3, HEAD.length + good.length + 2, reason, Buffer.from(row).toString()],
    ]);
    expect(records).toHaveLength(3);
  }
});

test('an unclosed quote does not reject the rows up to the next quote', async () => {
  const { records, rejects } = await csv(`${HEAD}\n"u,e,${T}\n${good}\n"q",e,${T}\n${good}\n`);
  expect(rejects.map(({ line }) => line)).toEqual([2]);
  expect(records).toHaveLength(3);
});

test('rejects a row that is larger than a request', async () => {
  const { records, rejects } = await csv(`${HEAD},note\nu,e,${T},${'x'.repeat(9000)}\nv,e,${T},ok\n`, {
    longest: 2000,
    chunk: 500,
  });
  expect(rejects).toMatchObject([
    { line: 2, reason: 'is longer than the longest record (2000 bytes)', truncated: true },
  ]);
  expect(records).toHaveLength(1);
});

test.each([
  [
    'a column that is missing',
    'id,event,timestamp',
    {},
    'a.csv has no column userId. It has: id, event, timestamp.',
  ],
  [
    '--map of a column that is not there',
    HEAD,
    { map: { plan: 'Plan' } },
    `a.csv has no column Plan. It has: ${HEAD.replaceAll(',', ', ')}.`,
  ],
  ['two columns of one field', `${HEAD},event`, {}, 'a.csv has two columns named event.'],
  [
    'two columns for one field',
    `${HEAD},id`,
    { map: { userId: 'id' } },
    'Two columns of a.csv become userId.',
  ],
  [
    'columns that are not fields',
    `${HEAD},x`,
    { extraFields: 'reject' as const },
    'a.csv has columns that are not fields: x.',
  ],
])('refuses %s before anything is sent, with the next step', async (_, header, options, message) => {
  await expect(csv(`${header}\n`, options)).rejects.toMatchObject({
    message,
    hint: expect.stringMatching(/\w/),
  });
});

test('omits a column without a name, with a notice', async () => {
  const { records, notices } = await csv(`,${HEAD}\n0,${good}\n`);
  expect(records).toEqual([`{"userId":"g","event":"e","timestamp":"${T}"}`]);
  expect(notices).toEqual(['Column 1 has no name and is ignored; --map NAME= imports it.']);
});

test('reads the same rows as csv-parse, however the input is chunked', async () => {
  const cell = fc
    .array(fc.constantFrom('a', 'é', '😀', ',', '"', '\n', '\r\n', ' ', '1'), { maxLength: 5 })
    .map((parts) => parts.join(''));
  const row = fc.tuple(cell, cell);
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 12 }),
      fc.constantFrom('\n', '\r\n'),
      fc.integer({ min: 1, max: 60 }),
      async (rows, feed, chunk) => {
        const written = rows.map((cells) =>
          [
            'u',
            'e',
            T,
            ...cells.map((text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)),
          ].join(','),
        );
        const text = [`${HEAD},x,y`, ...written].join(feed);
        const expected = (
          parse(text, { columns: true, record_delimiter: feed }) as Record<string, string>[]
        ).map(({ x, y }) => ({ ...(x ? { x } : {}), ...(y ? { y } : {}) }));
        const { records } = await csv(text, { chunk, types: { x: 'string', y: 'string' } });
        expect(records.map((record) => JSON.parse(record).properties ?? {})).toEqual(expected);
      },
    ),
    { numRuns: 300 },
  );
});

const ROWS = [`a,e,${T},1`, `b,e,${T},2`];
const written = (delimiter: string) => [`${HEAD},n`, ...ROWS].join('\n').replaceAll(',', delimiter);
test.each([
  ['tabs', written('\t'), {}],
  ['semicolons', written(';'), {}],
  ['several characters', written('||'), { reading: { delimiter: '||' } }],
  ['a character that is not ASCII', written('§'), { reading: { delimiter: '§' } }],
  ['commas in a title, semicolons in the table', `Sales, May, all\n\n${written(';')}`, {}],
  ["Excel's line", `sep=^\r\n${written('^').replaceAll('\n', '\r\n')}`, {}],
  ['comments before it', `# made by x\n# on Monday, at noon, in Paris, Texas\n${written(',')}`, {}],
  ['a title padded to the width', `Report,,,\n${written(',')}`, {}],
  ['a title, a byte order mark and a quoted cell', `\ufeffReport\n${written(',').replace('a,', '"a",')}`, {}],
])('a table with %s is read below what comes before it', async (_, text, options) => {
  const { records, rejects } = await csv(`${text}\n`, options);
  expect(rejects).toEqual([]);
  expect(records.map((record) => JSON.parse(record))).toEqual([
    { userId: 'a', event: 'e', timestamp: T, properties: { n: 1 } },
    { userId: 'b', event: 'e', timestamp: T, properties: { n: 2 } },
  ]);
});

test('lines left out before the header are said, and rejects keep the lines of the file', async () => {
  const { notices, rejects, batches } = await csv(`Report of May\n\n${HEAD}\nu,e,${T}\nv,e,${T}\nbad\n`);
  expect(notices).toEqual(['a.csv: left out 2 lines before the table: Report of May']);
  expect(batches[0]!.records.line[0]).toBe(4);
  expect(rejects).toMatchObject([{ line: 6, raw: 'bad' }]);
});

test('--columns names the columns of a file without a header, whose first row is a record', async () => {
  const { records } = await csv(`a,e,${T},7\n`, {
    reading: { columns: ['userId', 'event', 'timestamp', 'n'] },
  });
  expect(records).toEqual([`{"userId":"a","event":"e","timestamp":"${T}","properties":{"n":7}}`]);
});

test('any cells survive any dialect, for any division into reads', async () => {
  const cell = fc.string({
    unit: fc.constantFrom('a', 'é', '"', '\n', '\r\n', ' ', ',', ';', '|', '~', '\t', '😀'),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }),
      fc.constantFrom(',', ';', '\t', '|', '||', '~|~', '§', '::'),
      fc.integer({ min: 1, max: 40 }),
      async (rows, delimiter, chunk) => {
        const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const lines = rows.map(([x, y]) => ['u', 'e', T, quote(x), quote(y)].join(delimiter));
        const text = [['userId', 'event', 'timestamp', 'x', 'y'].join(delimiter), ...lines, ''].join('\r\n');
        const { records, rejects } = await csv(text, {
          reading: { delimiter },
          chunk,
          types: { x: 'string', y: 'string' },
        });
        expect(rejects).toEqual([]);
        expect(records.map((record) => JSON.parse(record).properties ?? {})).toEqual(
          rows.map(([x, y]) => ({ ...(x === '' ? {} : { x }), ...(y === '' ? {} : { y }) })),
        );
      },
    ),
    { numRuns: 200 },
  );
});
