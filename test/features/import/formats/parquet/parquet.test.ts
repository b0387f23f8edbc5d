import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { parseRule } from '../../../../../src/features/import/mapping/map-rules.ts';
import { KeyedService, lost } from '../../../../support/peers/keyed-service.ts';
import { ROOT } from '../../../../support/process/run-svc.ts';
import { importer, MAPPING } from '../../../../support/scenarios/importer.ts';

const fixture = (name: string) => readFileSync(join(ROOT, 'test/fixtures/parquet', `${name}.parquet`));
const FIELDS = { ...MAPPING, map: ['userId=user_id', 'timestamp=at'].map((rule) => parseRule(rule)!) };

const T = '2026-01-31T12:00:00Z';
function table(from: number, count: number, rowGroupSize: number): Buffer {
  const rows = Array.from({ length: count }, (_, n) => n + from);
  return Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'userId', data: rows.map((n) => `u${n}`), type: 'STRING' },
        { name: 'event', data: rows.map(() => 'e'), type: 'STRING' },
        { name: 'timestamp', data: rows.map(() => T), type: 'STRING' },
        { name: 'n', data: rows, type: 'INT32' },
      ],
      rowGroupSize,
    }),
  );
}

test.each(['none', 'snappy', 'gzip', 'zstd', 'brotli', 'lz4'])(
  'every type and digit of a file of pyarrow arrives, compressed with %s',
  async (codec) => {
    const { run, service, rejects } = importer({ 'a.parquet': fixture(`types-${codec}`) });
    const { result } = await run({ mapping: FIELDS });
    expect(rejects()).toBeUndefined();
    expect(result).toMatchObject({ read: 25, accepted: 25, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(service.stored[1]).toBe(
      '{"userId":"u1","event":"view","timestamp":"2026-01-31T12:00:01.001Z","properties":{' +
        '"at_ns":"2026-01-31T12:00:00.000000001Z","local":"2026-01-31T12:00:01","day":"2026-01-31","time":"12:30:01",' +
        '"big":9007199254740994,"u64":18446744073709551614,"small":-1,"price":34.20,"huge":-12345678901234567890.123456,' +
        '"f32":0.1,"f64":1.1,"flag":false,"zip":"00001"}}',
    );
    expect(service.stored[24]).toContain('"event":"Zoë 😀"');
    expect(service.stored[24]).toContain('"maybe":"x"');
  },
);

test('rows of pages that share a buffer arrive as they are, also those that the service refuses later', async () => {
  const rows = Array.from({ length: 3600 }, (_, n) => n);
  const text = (n: number) => `${n}-${'abcdefghij'[n % 10]!.repeat(14_000 + (n % 2000))}`;
  const column = (name: string, data: string[]) => ({ name, data, type: 'STRING' as const });
  const bytes = parquetWriteBuffer({
    columnData: [
      column('userId', rows.map(String)),
      column(
        'event',
        rows.map(() => 'e'),
      ),
      column(
        'timestamp',
        rows.map(() => T),
      ),
      { ...column('text', rows.map(text)), encoding: 'PLAIN' },
    ],
    // Each group has a page of 18 MB.
    rowGroupSize: 1200,
    pageSize: 2 ** 30,
  });
  const service = new KeyedService({
    poison: (record) => (/"userId":"(1000|1199|2399)"/.test(record) ? 'no' : undefined),
    // The next page is read while the requests of this one are on their way.
    before: () => new Promise((resolve) => setTimeout(() => resolve(undefined), 5)),
  });
  const { run, rejects } = importer({ 'a.parquet': Buffer.from(bytes) }, service);
  expect((await run()).result).toMatchObject({ accepted: rows.length - 3, rejected: 3 });
  expect(
    rejects()!.map(({ raw }) => {
      const record = JSON.parse(raw);
      return record.text === text(Number(record.userId)) && record.userId;
    }),
  ).toEqual(['1000', '1199', '2399']);
  const wrong = service.stored.filter((stored) => {
    const { userId, properties } = JSON.parse(stored);
    return properties.text !== text(Number(userId));
  });
  expect(wrong).toEqual([]);
});

test('nested columns follow --nested, as in JSON', async () => {
  const rejected = importer({ 'a.parquet': fixture('nested') });
  await rejected.run();
  expect(rejected.rejects()).toMatchObject([
    {
      line: 1,
      offset: 0,
      field: 'properties.device',
      raw: expect.stringContaining('"device":{"os":"ios","v":9007199254740993}'),
    },
    { line: 2, offset: 1, field: 'properties.device' },
  ]);
  await expect(importer({ 'a.parquet': fixture('nested-decimal') }).run()).rejects.toMatchObject({
    message: expect.stringContaining('at m.d, which cannot be read exactly'),
    hint: expect.stringContaining('duckdb -c'),
  });
});

test('binary data and NaN reject their row, with the column named', async () => {
  const { run, rejects, service } = importer({ 'a.parquet': fixture('odd') });
  expect((await run()).result).toMatchObject({ accepted: 1, rejected: 2 });
  expect(service.stored[0]).toContain('"blob":"ok","n":1.5');
  expect(rejects()).toMatchObject([
    { line: 2, field: 'blob', reason: 'is binary data, not text; leave the column out with --drop' },
    { line: 3, field: 'properties.n', reason: 'must be a number' },
  ]);
});

test('an interrupted import resumes by row, over row groups and files', async () => {
  const service = new KeyedService({ after: (count) => (count === 5 ? lost() : undefined) });
  const { run } = importer({ 'a.parquet': table(0, 35, 10), 'b.parquet': table(35, 30, 100) }, service);
  expect((await run({ concurrency: 1 })).failure).toBeDefined();
  service.habits = {};
  expect((await run({ mode: 'resume' })).result).toMatchObject({ read: 65, skipped: 35, accepted: 30 });
  expect(service.stored.map((text) => JSON.parse(text).properties.n)).toEqual(
    Array.from({ length: 65 }, (_, n) => n),
  );
  expect((await run({ mode: 'resume' })).result).toMatchObject({ skipped: 65, accepted: 0 });
});

test('a damaged file is refused in words', async () => {
  const good = table(0, 10, 10);
  const cut = importer({ 'a.parquet': good.subarray(0, good.length - 9) });
  await expect(cut.run()).rejects.toMatchObject({
    message: expect.stringContaining('a.parquet cannot be read as Parquet'),
    hint: expect.stringContaining('duckdb -c'),
  });
  const piped = importer({}).run({ name: { inputs: ['-'] } as never }, { stdin: Readable.from([good]) });
  await expect(piped).rejects.toMatchObject({
    message: 'standard input is a Parquet file, which cannot be read from a pipe.',
    prepare: { by: 'cat > input.parquet', name: '-', makes: 'input.parquet' },
  });
});

test('rows that the service refuses are rejected with the row as JSON', async () => {
  const service = new KeyedService({ poison: (record) => (record.includes('"u7"') ? 'no' : undefined) });
  const { run, rejects } = importer({ 'a.parquet': table(0, 10, 5) }, service);
  expect((await run()).result).toMatchObject({ accepted: 9, rejected: 1 });
  expect(rejects()).toMatchObject([
    { line: 8, offset: 7, raw: `{"userId":"u7","event":"e","timestamp":"${T}","n":7}` },
  ]);
});
