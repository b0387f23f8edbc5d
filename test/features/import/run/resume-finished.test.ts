import { appendFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { KeyedService, refusedConnection } from '../../../support/peers/keyed-service.ts';
import { event, events, importer, MAPPING } from '../../../support/scenarios/importer.ts';

const lines = (count: number, from = 0) => `${events(count, from).join('\n')}\n`;
const RESUME = { mode: 'resume' } as const;

/** An import of `a.ndjson`, to be run night by night. */
function nightly(content: string, service = new KeyedService()) {
  const it = importer({ 'a.ndjson': content }, service);
  const path = join(it.cwd, 'a.ndjson');
  const night = async (more = {}) => {
    it.notices.length = 0;
    const before = service.stored.length;
    const { result, failure } = await it.run({ ...RESUME, ...more });
    const { read, accepted, rejected, skipped, unsent } = result;
    return {
      counts: { read, accepted, rejected, skipped, unsent },
      failure,
      said: [...it.notices],
      stored: service.stored.slice(before),
    };
  };
  return { ...it, path, night };
}

test('--resume sends nothing for the same file, then the appended records, then a changed file', async () => {
  const { path, night, service } = nightly(lines(25));
  expect((await night()).counts).toMatchObject({ accepted: 25, skipped: 0 });

  // A file that was only touched holds what it held.
  utimesSync(path, 1, 1);
  expect(await night()).toMatchObject({
    counts: { read: 25, accepted: 0, skipped: 25, unsent: 0 },
    said: [expect.stringMatching(/^a\.ndjson was sent .* and did not change since: nothing is sent/)],
    stored: [],
  });

  appendFileSync(path, lines(15, 25));
  const appended = await night();
  expect(appended.counts).toEqual({ read: 40, accepted: 15, rejected: 0, skipped: 25, unsent: 0 });
  expect(appended.stored).toEqual(events(15, 25));
  expect(appended.said).toEqual([
    expect.stringMatching(
      /^a\.ndjson was appended to since the finished import of .* UTC: only the new events are sent$/,
    ),
  ]);
  expect((await night()).counts).toMatchObject({ accepted: 0, skipped: 40 });

  writeFileSync(`${path}.new`, lines(50, 100));
  renameSync(`${path}.new`, path);
  const other = await night();
  expect(other.counts).toEqual({ read: 50, accepted: 50, rejected: 0, skipped: 0, unsent: 0 });
  expect(other.said).toEqual([
    expect.stringMatching(/^a\.ndjson differs from what the finished import of .* sent: a new import sends/),
  ]);
  expect((await night()).counts).toMatchObject({ accepted: 0, skipped: 50 });
  expect(new Set(service.keys).size).toBe(service.keys.length);
  expect(service.stored).toHaveLength(90);
});

test('a shorter file and a file with a changed byte count as changed content', async () => {
  for (const content of [lines(24), lines(25).replace('"u20"', '"v20"')]) {
    const { path, night } = nightly(lines(25));
    await night();
    writeFileSync(path, content);
    const { counts, said } = await night();
    expect(counts).toMatchObject({ skipped: 0, accepted: counts.read });
    expect(said.join()).toContain('a new import sends all of it');
  }
});

test('a changed line counts as changed content even if it was rejected', async () => {
  const { path, night } = nightly(`${event(1)}\nbad 1\n${event(2)}\n`);
  await night();
  writeFileSync(path, `${event(1)}\nbad 2\n${event(2)}\n`);
  const { counts, said } = await night();
  expect(counts).toMatchObject({ accepted: 2, rejected: 1, skipped: 0 });
  expect(said.join()).toContain('a new import sends all of it');
});

describe('a last line without a line feed', () => {
  test('that has grown counts as changed content', async () => {
    const { path, night } = nightly(`${event(1)}\n{"userId":"u2"`);
    expect((await night()).counts).toMatchObject({ accepted: 1, rejected: 1 });
    appendFileSync(path, event(2).slice('{"userId":"u2"'.length));
    const { counts, said } = await night();
    expect(counts).toMatchObject({ accepted: 2, skipped: 0 });
    expect(said.join()).toContain('a new import sends all of it');
  });

  test('that got its line feed and further lines is unchanged', async () => {
    const { path, night } = nightly(events(13).join('\n'));
    await night();
    for (const [from, skipped] of [
      [13, 13],
      [16, 16],
    ] as const) {
      appendFileSync(path, `\n${events(3, from).join('\n')}`);
      const { counts, stored } = await night();
      expect(counts).toEqual({ read: from + 3, accepted: 3, rejected: 0, skipped, unsent: 0 });
      expect(stored).toEqual(events(3, from));
    }
    expect((await night()).counts).toMatchObject({ accepted: 0, skipped: 19 });
  });
});

test('gzip: compares the content, compressed again or with an appended member', async () => {
  const { cwd, run, service } = importer({ 'a.ndjson.gz': gzipSync(lines(25)) });
  const path = join(cwd, 'a.ndjson.gz');
  await run(RESUME);
  appendFileSync(path, gzipSync(lines(5, 25)));
  expect((await run(RESUME)).result).toMatchObject({ accepted: 5, skipped: 25 });
  writeFileSync(path, gzipSync(lines(40), { level: 1 }));
  expect((await run(RESUME)).result).toMatchObject({ accepted: 10, skipped: 30 });
  expect(service.stored).toEqual(events(40));
});

test('CSV: reads appended rows with the header and reports their line in the file', async () => {
  const row = (n: number) => `u${n},e,2026-01-31T12:00:00Z,${n}`;
  const { cwd, run, rejects, service } = importer({
    'a.csv': `userId,event,timestamp,n\n${row(1)}\nbad\n${row(2)}`,
  });
  await run(RESUME);
  appendFileSync(join(cwd, 'a.csv'), `\n${row(3)}\nworse\n`);
  expect((await run(RESUME)).result).toMatchObject({ read: 5, accepted: 1, rejected: 1, skipped: 3 });
  expect(service.stored.at(-1)).toBe(
    '{"userId":"u3","event":"e","timestamp":"2026-01-31T12:00:00Z","properties":{"n":3}}',
  );
  // The rejects of the first night are kept.
  expect(rejects()?.map(({ line, raw }) => [line, raw])).toEqual([
    [3, 'bad'],
    [6, 'worse'],
  ]);
});

test('several files: each may grow repeatedly', async () => {
  const { cwd, run, service } = importer({ 'a.ndjson': lines(15), 'b.ndjson': lines(15, 100) });
  await run(RESUME);
  for (let nightOf = 0; nightOf < 3; nightOf++) {
    appendFileSync(join(cwd, 'a.ndjson'), lines(12, 15 + 12 * nightOf));
    if (nightOf > 0) appendFileSync(join(cwd, 'b.ndjson'), lines(2, 115 + 2 * nightOf));
    const { result, failure } = await run(RESUME);
    expect(failure).toBeUndefined();
    expect(result).toMatchObject({ accepted: nightOf > 0 ? 14 : 12, unsent: 0 });
  }
  expect(service.stored).toHaveLength(15 + 36 + 15 + 4);
  expect(new Set(service.stored).size).toBe(service.stored.length);
  expect((await run(RESUME)).result).toMatchObject({ accepted: 0, skipped: 70 });
});

test('a pipe: the same content, appended content and changed content', async () => {
  const { run, service, notices } = importer({ '-': '' });
  const pipe = (text: string) => ({ stdin: Readable.from([Buffer.from(text)]) });
  await run(RESUME, pipe(lines(25)));
  expect((await run(RESUME, pipe(lines(25)))).result).toMatchObject({ accepted: 0, skipped: 25 });
  expect((await run(RESUME, pipe(lines(33)))).result).toMatchObject({ accepted: 8, skipped: 25 });
  expect(notices.at(-1)).toMatch(/^standard input was appended to since /);
  expect((await run(RESUME, pipe(lines(12, 500)))).result).toMatchObject({ accepted: 12, skipped: 0 });
  expect(notices.at(-1)).toMatch(/^standard input differs from what /);
  expect(service.stored).toEqual([...events(33), ...events(12, 500)]);
});

test('a pipe is imported while it is compared with the earlier one', async () => {
  const { run, service } = importer({ '-': '' });
  await run(RESUME, { stdin: Readable.from([Buffer.from(lines(5000))]) });
  const stored = service.stored.length;
  let told: () => void;
  const arrived = new Promise<void>((resolve) => {
    told = resolve;
  });
  service.habits = {
    before: () => {
      told();
      return undefined;
    },
  };
  async function* live() {
    yield Buffer.from(lines(20, 9000));
    await arrived;
  }
  await run(RESUME, { stdin: Readable.from(live()) });
  expect(service.stored.slice(stored)).toEqual(events(20, 9000));
});

test('an import that reached its limit sends nothing more, however much the file grows', async () => {
  const { path, night } = nightly(lines(25));
  const name = { limit: 12 };
  expect((await night({ name })).counts).toMatchObject({ read: 12, accepted: 12 });
  appendFileSync(path, lines(25, 25));
  expect((await night({ name })).counts).toMatchObject({ read: 12, accepted: 0, skipped: 12 });
});

test('appended records in flight make the import unfinished again', async () => {
  const { path, night, run, service } = nightly(lines(25));
  await night();
  appendFileSync(path, lines(30, 25));
  service.habits = { before: (count) => (count > 4 ? refusedConnection() : undefined) };
  const cut = await night({ concurrency: 1 });
  expect(cut).toMatchObject({ counts: { accepted: 10, skipped: 25, unsent: 20 } });
  service.habits = {};

  await expect(run()).rejects.toMatchObject({ reason: 'unfinished' });
  appendFileSync(path, lines(1, 55));
  await expect(run(RESUME)).rejects.toMatchObject({ reason: 'changed', finished: false });
});

test('appended records of which none was sent leave the import finished', async () => {
  const { path, night, service } = nightly(lines(25));
  await night();
  appendFileSync(path, lines(30, 25));
  service.habits = { before: () => refusedConnection() };
  expect(await night()).toMatchObject({ counts: { accepted: 0, skipped: 25, unsent: 30 } });
  service.habits = {};
  appendFileSync(path, lines(5, 55));
  expect((await night()).counts).toEqual({ read: 60, accepted: 35, rejected: 0, skipped: 25, unsent: 0 });
  expect(service.stored).toEqual(events(60));
});

test('with other flags, changed content is imported with them and appended content is refused', async () => {
  const { path, night, run, service } = nightly(lines(5));
  await night();
  const mapping = { ...MAPPING, set: new Map([['plan', 'pro']]) };
  appendFileSync(path, lines(5, 5));
  await expect(run({ ...RESUME, mapping })).rejects.toMatchObject({ reason: 'options', appended: true });
  writeFileSync(path, lines(5, 50));
  expect((await night({ mapping })).counts).toMatchObject({ accepted: 5, skipped: 0 });
  expect(service.stored.at(-1)).toContain('"plan":"pro"');
});
