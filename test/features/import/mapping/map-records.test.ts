import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRule, ruleText } from '../../../../src/features/import/mapping/map-rules.ts';
import { plainNumber, type Thousands } from '../../../../src/features/import/mapping/number-form.ts';
import { compileTimestampFormat } from '../../../../src/features/import/mapping/time/timestamp-formats.ts';
import { type CollectOptions, collect } from '../../../support/collect.ts';

const TIME = '"timestamp":"2026-01-31T12:00:00Z"';
const FIELDS = `"userId":"u","event":"e",${TIME}`;

/** The records that one line of NDJSON becomes, parsed, and why others were rejected. */
async function mapped(line: string, options: CollectOptions) {
  const { records, rejects, filtered, read } = await collect(`${line}\n`, options);
  return {
    record: records[0] === undefined ? undefined : JSON.parse(records[0]),
    text: records[0],
    reasons: rejects.map(({ field, reason }) => `${field} ${reason}`),
    filtered,
    read,
  };
}

/** The same for the rows of a CSV. */
async function table(rows: readonly string[], options: CollectOptions) {
  const { records, rejects, filtered, read } = await collect(`${rows.join('\n')}\n`, {
    csv: true,
    ...options,
  });
  return {
    records: records.map((text) => JSON.parse(text)),
    reasons: rejects.map(({ field, reason }) => `${field} ${reason}`),
    filtered,
    read,
  };
}

describe('--map', () => {
  test('reads a dotted path, and what is left of the object follows --extra-fields and --nested', async () => {
    const line = `{"actor":{"login":"ann","id":7},"event":"e",${TIME}}`;
    const options = { map: { userId: 'actor.login' } };
    expect((await mapped(line, { ...options, extraFields: 'drop' })).record).toEqual({
      userId: 'ann',
      event: 'e',
      timestamp: '2026-01-31T12:00:00Z',
    });
    const flat = await mapped(line, { ...options, extraFields: 'properties', nested: 'flatten' });
    expect(flat.record.properties).toEqual({ 'actor.id': 7 });
    const text = await mapped(line, { ...options, extraFields: 'properties', nested: 'json' });
    expect(text.record.properties).toEqual({ actor: '{"id":7}' });
    const { reasons } = await mapped(line, options);
    expect(reasons).toEqual([
      'actor is not a known field; use --extra-fields properties with --nested flatten, or drop',
    ]);
  });

  test('finds a name that contains a point, an element of an array, and a property', async () => {
    const map = { userId: 'a.b' };
    expect((await mapped(`{"a.b":"u","event":"e",${TIME}}`, { map })).record.userId).toBe('u');
    const list = `{"users":[{"id":5},{"id":6}],"event":"e",${TIME}}`;
    const found = await mapped(list, { map: { userId: 'users.1.id' }, extraFields: 'drop' });
    expect(found.record.userId).toBe('6');
    const inner = `{"event":"e",${TIME},"properties":{"uid":"u","n":1.50}}`;
    const { text } = await mapped(inner, { map: { userId: 'properties.uid' } });
    expect(text).toBe(`{"userId":"u","event":"e",${TIME},"properties":{"n":1.50}}`);
  });

  test.each([
    ['{"user_id":"u","device_id":"d",', 'u', { device_id: 'd' }],
    ['{"user_id":"","device_id":"d",', 'd', undefined],
    ['{"user_id":null,"device_id":"d",', 'd', undefined],
    ['{"device_id":"d",', 'd', undefined],
    ['{"user_id":12345678901234567890,', '12345678901234567890', undefined],
  ])('takes the first alternative that is not empty: %s', async (start, userId, properties) => {
    const line = `${start}"event":"e",${TIME}}`;
    const { record } = await mapped(line, { map: { userId: 'user_id,device_id' } });
    expect([record.userId, record.properties]).toEqual([userId, properties]);
  });

  test('joins columns with one space, and a sum has alternatives too', async () => {
    const options = { map: { timestamp: 'Date+Time,at' }, convert: 'UTC' };
    const rows = ['userId,event,Date,Time,at', 'u,e,2026-01-31,12:00,', 'u,e,,,2026-02-01 13:00'];
    const { records } = await table(rows, options);
    expect(records.map(({ timestamp }) => timestamp)).toEqual([
      '2026-01-31T12:00:00Z',
      '2026-02-01T13:00:00Z',
    ]);
    const line = '{"userId":"u","event":"e","Date":"2026-01-31","Time":"12:00"}';
    expect((await mapped(line, options)).record).toEqual({
      userId: 'u',
      event: 'e',
      timestamp: '2026-01-31T12:00:00Z',
    });
  });

  test('in CSV: an unused alternative stays a property, and one of them may be missing', async () => {
    const { records } = await table(
      ['a,b,event,timestamp', 'u,d,e,2026-01-31T12:00:00Z', ',d,e,2026-01-31T12:00:00Z'],
      {
        map: { userId: 'a,b,c' },
      },
    );
    expect(records.map(({ userId, properties }) => [userId, properties])).toEqual([
      ['u', { b: 'd' }],
      ['d', undefined],
    ]);
    await expect(table(['event,timestamp', 'e,t'], { map: { userId: 'a,b' } })).rejects.toThrow(
      'a.csv has no columns a, b',
    );
  });

  test('a field that is mapped and also there is given twice, and a name that occurs twice is too', async () => {
    const { reasons } = await mapped(`{"id":"x",${FIELDS}}`, { map: { userId: 'id' } });
    expect(reasons).toEqual(['userId is given twice']);
    const twice = await mapped(`{"id":"x","id":"y","event":"e",${TIME}}`, { map: { userId: 'id' } });
    expect(twice.reasons).toEqual(['id is given twice']);
  });

  test('a rule is written as it is read, whatever the names of its columns', () => {
    const name = fc.string({ unit: 'binary', minLength: 1 });
    const sources = fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(name, sources, (target, alternatives) => {
        const rule = { target, sources: alternatives };
        expect(parseRule(ruleText(rule))).toEqual(rule);
      }),
    );
    expect(parseRule('a=b=c')).toEqual({ target: 'a', sources: [['b=c']] });
    expect(parseRule('a=b\\,c,d\\+e+f')).toEqual({ target: 'a', sources: [['b,c'], ['d+e', 'f']] });
    expect(parseRule('a=C:\\dir')).toEqual({ target: 'a', sources: [['C:\\dir']] });
    expect([parseRule('a'), parseRule('=b')]).toEqual([undefined, undefined]);
  });
});

describe('--nested and --nulls', () => {
  const line = `{${FIELDS},"properties":{"a":{"b":[1,{"c":2.50}],"d":{}},"e":[ ],"n":null,"s":"x"}}`;

  test.each([
    ['flatten', { 'a.b.0': 1, 'a.b.1.c': 2.5, 'a.d': '{}', e: '[]', s: 'x' }],
    ['json', { a: '{"b":[1,{"c":2.50}],"d":{}}', e: '[]', s: 'x' }],
    ['drop', { s: 'x' }],
  ] as const)('--nested %s', async (nested, properties) => {
    expect((await mapped(line, { nested, nulls: 'drop' })).record.properties).toEqual(properties);
  });

  test('what is dropped or kept as text keeps its spelling, and a name that meets another is a reject', async () => {
    const { text } = await mapped(`{${FIELDS},"properties":{"a":{"b":1.50}}}`, { nested: 'flatten' });
    expect(text).toContain('"a.b":1.50');
    const both = await mapped(`{${FIELDS},"properties":{"a":{"b":1},"a.b":2}}`, { nested: 'flatten' });
    expect(both.reasons).toEqual(['properties.a.b is given twice']);
  });

  test('a null field counts as missing with --nulls drop, and is a wrong type without', async () => {
    const empty = `{"userId":null,"event":"e",${TIME},"properties":null}`;
    expect((await mapped(empty, { nulls: 'drop' })).reasons).toEqual(['userId is missing']);
    expect((await mapped(empty, {})).reasons[0]).toMatch(/^userId must be a string/);
  });

  test('deeply nested values are rejected, not followed', async () => {
    for (const [levels, reason] of [
      [80, /is nested deeper than 64 levels$/],
      [5000, /is nested more than 100 levels deep$/],
    ] as const) {
      const deep = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
      const { reasons } = await mapped(`{${FIELDS},"properties":${deep}}`, { nested: 'flatten' });
      expect(reasons[0]).toMatch(reason);
    }
  });

  test('without a need for change, a record stays as it is to the byte', async () => {
    const exact = `{ ${FIELDS}, "properties" : {"n": 1.50, "s":"\\u00e9"} }`;
    const options = { nested: 'flatten', nulls: 'drop', nullTexts: new Set(['NULL']) } as const;
    expect((await mapped(exact, options)).text).toBe(exact);
  });
});

describe('--null, --decimal-comma, --type and --drop', () => {
  test('a cell with the text of --null is empty, in fields, properties and alternatives', async () => {
    const rows = [
      'a,b,event,timestamp,x',
      'NULL,d,e,2026-01-31T12:00:00Z,\\N',
      'NULL,NULL,e,2026-01-31T12:00:00Z,1',
    ];
    const { records, reasons } = await table(rows, {
      map: { userId: 'a,b' },
      nullTexts: new Set(['NULL', '\\N']),
    });
    expect(records).toEqual([{ userId: 'd', event: 'e', timestamp: '2026-01-31T12:00:00Z' }]);
    expect(reasons).toEqual(['userId is missing']);
    const line = `{${FIELDS},"properties":{"x":"NULL","y":"null"}}`;
    expect((await mapped(line, { nullTexts: new Set(['NULL']) })).record.properties).toEqual({ y: 'null' });
  });

  test('--decimal-comma reads numbers with a comma, and no others', async () => {
    const cells = ['9.549,07', '-0,5', '1 234 567', "12'345,6", '007,50', '1.234', '1.5', '1,5,0', 'x'];
    const rows = ['userId;event;timestamp;n', ...cells.map((cell) => `u;e;2026-01-31T12:00:00Z;${cell}`)];
    const { records, reasons } = await table(rows, { decimalComma: true, types: { n: 'number' } });
    expect(records.map(({ properties }) => properties.n)).toEqual([
      9549.07, -0.5, 1234567, 12345.6, 7.5, 1234,
    ]);
    expect(reasons).toEqual(Array(3).fill('properties.n must be a number with a decimal comma'));
    expect(plainNumber('33,20', 'comma')).toBe('33.20');
  });

  test.each<[Thousands, string[], number[]]>([
    [',', ['1,234', '12,345,678.90', '-1,234.5', '7', '0.5'], [1234, 12345678.9, -1234.5, 7, 0.5]],
    ['.', ['1.306', '12.345.678,90', '976', '3,50'], [1306, 12345678.9, 976, 3.5]],
    ['apostrophe', ["1'234.50", '1’000’000'], [1234.5, 1_000_000]],
    ['space', ['1 234', '1\u00a0234\u00a0567.5', '1\u202f000', '1\u2009000'], [1234, 1234567.5, 1000, 1000]],
  ])('--thousands %s reads these numbers, and no others', async (thousands, good, numbers) => {
    // Groups of other sizes, two separators, a separator after the decimal mark.
    const bad = ['1,23', '12,34,567', '1 234,567', "1'23", '1.2.3', '1,234 567', 'x', '1_000'];
    const cells = [...good, ...bad.filter((cell) => plainNumber(cell, thousands) === undefined)];
    const rows = ['userId;event;timestamp;n', ...cells.map((cell) => `u;e;2026-01-31T12:00:00Z;${cell}`)];
    const { records, reasons } = await table(rows, { thousands, types: { n: 'number' } });
    expect(records.map(({ properties }) => properties.n)).toEqual(numbers);
    expect(reasons.length).toBe(cells.length - good.length);
    expect(reasons.length).toBeGreaterThanOrEqual(6);
    for (const reason of reasons) expect(reason).toContain('must be a number with thousands separated by');
  });

  test('--type converts JSON values too, and a value that does not fit is a reject', async () => {
    const line = `{${FIELDS},"properties":{"a":"1.50","b":12345678901234567890,"c":"yes","d":{"e":"7"}}}`;
    const types = { a: 'number', b: 'string', 'd.e': 'number' } as const;
    expect((await mapped(line, { types, nested: 'flatten' })).text).toContain(
      '"properties":{"a":1.50,"b":"12345678901234567890","c":"yes","d.e":7}',
    );
    const { reasons } = await mapped(line, { types: { c: 'boolean' }, nested: 'drop' });
    expect(reasons).toEqual(['properties.c must be true, false, 1 or 0']);
  });

  test('--drop leaves out columns, paths and properties, also inside a text of --nested json', async () => {
    const line = `{${FIELDS},"properties":{"a":{"b":1,"c":2},"d":3},"x":{"y":1}}`;
    const drop = new Set(['a.b', 'x', 'd']);
    const flat = await mapped(line, { drop, nested: 'flatten' });
    expect(flat.record.properties).toEqual({ 'a.c': 2 });
    const text = await mapped(line, { drop: new Set(['properties.a.b', 'x', 'd']), nested: 'json' });
    expect(text.record.properties).toEqual({ a: '{"c":2}' });
    const rows = ['userId,event,timestamp,a,b', 'u,e,2026-01-31T12:00:00Z,1,2'];
    const left = JSON.parse(`{${FIELDS},"properties":{"b":2}}`);
    expect((await table(rows, { drop: new Set(['a']) })).records).toEqual([left]);
    await expect(table(rows, { drop: new Set(['a', 'gone']) })).rejects.toThrow('a.csv has no column gone');
  });
});

describe('--where', () => {
  const rows = [
    'type,user,timestamp,n',
    'view,u,2026-01-31T12:00:00Z,1',
    'buy,u,2026-01-31T12:00:00Z,1',
    ',u,2026-01-31T12:00:00Z,2',
  ];
  const map = { userId: 'user', event: 'type' };

  test('leaves out what does not match, and counts it on its own', async () => {
    const where = (pairs: Record<string, string[]>) =>
      new Map(Object.entries(pairs).map(([field, values]) => [field, new Set(values)]));
    const some = await table(rows, { map, where: where({ event: ['view', 'buy'], n: ['1'] }) });
    expect([some.records.length, some.read, some.filtered, some.reasons]).toEqual([2, 2, 1, []]);
    const one = await table(rows, { map, where: where({ type: ['buy'] }) });
    expect([one.records.length, one.read, one.filtered]).toEqual([1, 1, 2]);
    await expect(table(rows, { map, where: where({ gone: ['1'] }) })).rejects.toThrow('has no column gone');
    const lines = ['{"type":"view","n":1}', '{"type":"buy","n":{"m":true}}', 'nonsense', '{"type":null}'];
    const json = (pairs: Record<string, string[]>) =>
      collect(lines.map((line) => line.replace('}', `,"user":"u",${TIME}}`)).join('\n'), {
        map,
        extraFields: 'drop',
        where: where(pairs),
      });
    expect(await json({ event: ['view'] })).toMatchObject({
      read: 2,
      filtered: 2,
      rejects: [{ raw: 'nonsense' }],
    });
    expect(await json({ type: [''] })).toMatchObject({ read: 2, filtered: 2 });
    expect(await json({ n: ['1'] })).toMatchObject({ read: 2, filtered: 2 });
  });
});

test('--timestamp-format reads the composed column, alone or beside the spellings of --convert-timestamps', async () => {
  const rows = ['userId,event,D,T', 'u,e,31/12/2025,13:45', 'u,e,2025-12-31,13:45', 'u,e,13/13/2025,13:45'];
  const format = { format: compileTimestampFormat('DD/MM/YYYY HH:mm'), zone: 'Europe/Berlin' };
  const options = { map: { timestamp: 'D+T' }, timestampFormat: format };
  const only = await table(rows, options);
  expect(only.records.map(({ timestamp }) => timestamp)).toEqual(['2025-12-31T12:45:00Z']);
  expect(only.reasons).toEqual([
    'timestamp is not of the form DD/MM/YYYY HH:mm (--timestamp-format)',
    'timestamp is not a date and time of the calendar',
  ]);
  const both = await table(rows, { ...options, convert: 'Europe/Berlin' });
  expect(both.records).toHaveLength(2);
});
