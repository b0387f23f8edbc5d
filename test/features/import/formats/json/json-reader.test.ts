import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonShape } from '../../../../../src/features/import/formats/json/find-records.ts';
import { collect } from '../../../../support/collect.ts';

const T = '2026-01-31T12:00:00Z';
const event = (n: number, more = '') => `{"userId":"u${n}","event":"e","timestamp":"${T}"${more}}`;
const json = (text: string | Buffer, options: Parameters<typeof collect>[1] = {}) =>
  collect(text, { json: [], ...options });

test('the elements of an array are sent byte for byte, on one line, one per line or indented', async () => {
  const odd = event(1, ',"properties":{"big":12345678901234567890,"price":1.50,"s":"a,]}\\"{["}');
  const pretty = JSON.stringify(JSON.parse(event(2)), null, 2).replaceAll('\n', '\n  ');
  for (const chunk of [1, 7, 1 << 20]) {
    const { records, rejects, batches } = await json(`[${odd},${event(0)},\n  ${pretty}\n ,${event(3)}]\n`, {
      chunk,
    });
    expect(rejects).toEqual([]);
    expect(records).toEqual([odd, event(0), pretty, event(3)]);
    expect([...batches[0]!.records.line.slice(0, 4)]).toEqual([1, 1, 2, 7]);
  }
});

test('objects one after the other, separated by nothing, white space, commas or record separators', async () => {
  const pretty = JSON.stringify(JSON.parse(event(2)), null, 4);
  const { records, rejects } = await json(`\x1e${event(0)}\n${event(1)}${pretty}\r\n,\n${event(3)}`);
  expect(rejects).toEqual([]);
  expect(records).toEqual([event(0), event(1), pretty, event(3)]);
});

test('records at a path: what is around them is skipped, other arrays are named', async () => {
  const around = (array: string) =>
    `{"meta": {"data": [{"no": 1}], "n": [1]}, "data": {"x": null, "events": ${array}, "z": [[]]}, "included": [{"a": 1}]}`;
  const { records, rejects, notices } = await json(around(`[${event(0)}, ${event(1)}]`), {
    json: ['data', 'events'],
    chunk: 5,
  });
  expect(rejects).toEqual([]);
  expect(records).toEqual([event(0), event(1)]);
  expect(notices).toEqual([
    'a.json has records at data.events, which were read, and at included, which were not (--records)',
  ]);
  await expect(json(around('7'), { json: ['data', 'events'] })).rejects.toThrow('no array at data.events');
  await expect(json('[]', { json: ['data'] })).rejects.toThrow('no array at data');
});

test('a broken record with much white space is rejected in linear time', async () => {
  const broken = `{"a": nothing${' '.repeat(500_000)}x}`;
  const { records, rejects } = await json(`[${broken},\n${event(1)}]`);
  expect(records).toEqual([event(1)]);
  expect(rejects).toMatchObject([{ reason: expect.stringContaining('is not valid JSON') }]);
});

const BAD: [string, string, string][] = [
  ['a trailing comma in it', '{"a":1,}', 'is not valid JSON'],
  ['no closing brace', '{"a":1', 'is not valid JSON'],
  ['a string that is not closed', '{"a":"b,"c":1}', 'is not valid JSON'],
  ['names without quotes', '{a: 1}', 'is not valid JSON'],
  ['a word that is none', '{"a":nothing}', 'is not valid JSON'],
  ['a number with a leading zero', '{"a":01}', 'is not valid JSON'],
  ['a wrong bracket', '{"a":[1}', 'is not valid JSON'],
  ['a number', '17', 'must be a JSON object'],
  ['an array', '[{"a": [1]}]', 'must be a JSON object'],
  ['a string', '"]"', 'must be a JSON object'],
];
test.each(BAD)('an element with %s is rejected alone, one per line and indented', async (_, bad, reason) => {
  for (const chunk of [1, 50, 1 << 20]) {
    const { records, rejects } = await json(`[\n${event(0)},\n${bad},\n${event(1)},\n${event(2)}\n]\n`, {
      chunk,
    });
    expect(records).toEqual([event(0), event(1), event(2)]);
    expect(rejects).toMatchObject([{ line: 3, field: 'record', raw: bad }]);
    expect(rejects[0]!.reason).toContain(reason);
  }
  const indented = [event(0), event(1)].map((text) =>
    JSON.stringify(JSON.parse(text), null, 2).replaceAll('\n', '\n  '),
  );
  const { records, rejects } = await json(`[\n  ${indented[0]},\n  ${bad},\n  ${indented[1]}\n]`);
  expect(records).toEqual(indented);
  expect(rejects).toHaveLength(1);
});

test('a document whose rest cannot be read ends with one error, after the records before it', async () => {
  await expect(json(`[${event(0)},{"a":"b\n c ${event(1)}]`)).rejects.toMatchObject({
    message: expect.stringContaining('a.json is not valid JSON: line 1, byte 66'),
    hint: 'jq empty a.json',
  });
});

test('a document that is cut short is noticed, inside a record and between two', async () => {
  const between = await json(`[${event(0)},`);
  expect(between.records).toEqual([event(0)]);
  expect(between.rejects).toMatchObject([{ reason: expect.stringContaining('truncated'), raw: '' }]);
  const inside = await json(`[${event(0)},{"userId":"u`);
  expect(inside.records).toEqual([event(0)]);
  expect(inside.rejects.map(({ reason }) => reason)).toEqual([
    'is not valid JSON: it is truncated',
    expect.stringContaining('truncated'),
  ]);
});

test('an element that is too long is rejected without being kept, and invalid UTF-8 rejects one', async () => {
  const long = event(1, `,"properties":{"s":"${'x'.repeat(3000)}"}`);
  const text = Buffer.concat([
    Buffer.from(`[${event(0)},${long},`),
    Buffer.from(event(2).replace('u2', '\xe9'), 'latin1'),
    Buffer.from(`,${event(3)}]`),
  ]);
  for (const chunk of [64, 1 << 20]) {
    const { records, rejects } = await json(text, { longest: 500, chunk });
    expect(records).toEqual([event(0), event(3)]);
    expect(rejects.map(({ reason }) => reason)).toEqual([
      'is longer than the longest record (500 bytes)',
      'is not valid UTF-8',
    ]);
  }
});

const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.string({ unit: 'binary' }),
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
  ),
})).value;

test('the elements are those of JSON.parse, for any document, layout and division into reads', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { maxLength: 8 }),
      fc.constantFrom(undefined, 1, 2, '\t'),
      fc.constantFrom('array', 'wrapped', 'concatenated'),
      fc.integer({ min: 1, max: 40 }),
      async (elements, indent, layout, chunk) => {
        const text =
          layout === 'array'
            ? JSON.stringify(elements, null, indent)
            : layout === 'wrapped'
              ? JSON.stringify({ before: elements, at: { a: 1, the: elements }, after: 0 }, null, indent)
              : elements.map((element) => JSON.stringify(element, null, indent)).join('\n');
        const { records, rejects, read } = await json(text, {
          json: layout === 'wrapped' ? ['at', 'the'] : [],
          validate: false,
          chunk,
        });
        const expected =
          layout === 'concatenated' ? elements.flatMap((e) => (Array.isArray(e) ? e : [e])) : elements;
        const objects = expected.filter((e) => typeof e === 'object' && e !== null && !Array.isArray(e));
        expect(records.map((record) => JSON.parse(record))).toEqual(JSON.parse(JSON.stringify(objects)));
        expect(read).toBe(expected.length);
        expect(rejects).toHaveLength(expected.length - objects.length);
      },
    ),
    { numRuns: 300 },
  );
});

const FIELDS = new Set(['userId', 'event', 'timestamp']);
const SHAPES: [string, string, object][] = [
  ['lines', `${event(0)}\n${event(1)}\n`, { format: 'ndjson' }],
  ['one line', event(0), { format: 'ndjson' }],
  ['lines that hold arrays', `{"s":1,"items":[{"a":1}]}\n{"s":2,"items":[{"a":1}]}\n`, { format: 'ndjson' }],
  ['one record that holds an array', event(0, ',"items":[{"a":1}]'), { format: 'ndjson' }],
  ['a broken first line', `{"userId":"a",\n${event(1)}\n`, { format: 'ndjson' }],
  ['a first line cut in a string', `{"userId":"a\n${event(1)}\n`, { format: 'ndjson' }],
  ['an array', '[\n{}\n]', { format: 'json', path: [] }],
  ['an indented object', '{\n "userId": "u"\n}\n{\n "userId": "u"\n}', { format: 'json', path: [] }],
  ['objects side by side', '{"a":1}{"a":2}', { format: 'json', path: [] }],
  ['objects and commas', '{"a":1},\n{"a":2}\n', { format: 'json', path: [] }],
  ['a wrapped array on one line', '{"Records":[{"a":1}]}\n', { format: 'json', path: ['Records'] }],
  ['a wrapped array below', '{\n "a": {"b.c": [{"a":1}]}\n}', { format: 'json', path: ['a', 'b.c'] }],
  ['two wrapped arrays', '{"a":[{}],"b":[{}]}', { format: 'json', choices: ['a', 'b'] }],
  ['arrays without objects', '{"a":[1],\n"b":[]}', { format: 'json', path: [] }],
];
test.each(SHAPES)('%s: the shape is told from the beginning', (_, text, shape) => {
  expect(jsonShape(Buffer.from(text), 'all', FIELDS)).toEqual(shape);
  // Less of the text gives the same answer, or none.
  for (let length = 1; length < text.length; length++) {
    const early = jsonShape(Buffer.from(text.slice(0, length)), 'more', FIELDS);
    if (early) expect([length, early]).toEqual([length, shape]);
  }
});
