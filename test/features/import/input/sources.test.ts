import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { KeyedService, lost } from '../../../support/peers/keyed-service.ts';
import { events, importer } from '../../../support/scenarios/importer.ts';
import { zipOf } from '../../../support/scenarios/shaped-inputs.ts';

const lines = (count: number, from = 0) => `${events(count, from).join('\n')}\n`;

function write(cwd: string, files: Record<string, string | Buffer>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), content);
  }
}

const only = (...inputs: string[]) => ({ name: { inputs } as never });

test.each([{}, { compress: false }, { zip64: true }])(
  'the files of a zip archive (%o), each in its own format',
  async (options) => {
    const archive = await zipOf(
      {
        'data/b.csv': `userId,event,timestamp\nc0,e,2026-01-31T12:00:00Z\n`,
        'data/a.ndjson.gz': gzipSync(lines(25)),
        '__MACOSX/data/._b.csv': 'other',
        'data/.hidden.csv': 'other',
        'README.md': 'about',
        'data/c.json': `[${events(3, 50).join(',')}]`,
      },
      options,
    );
    const { run, service, notices } = importer({ 'a.zip': archive });
    const { result, failure } = await run();
    expect(failure).toBeUndefined();
    expect(result).toMatchObject({ files: 3, read: 29, accepted: 29, sha256: null });
    expect(service.stored).toHaveLength(29);
    expect(notices).toContain('a.zip: left out README.md');
  },
);

test('a damaged entry of an archive ends the import, with the archive and the entry named', async () => {
  const archive = await zipOf({ 'a.ndjson': lines(20), 'b.ndjson': lines(20, 20) }, { compress: false });
  archive[archive.indexOf('"u30"') + 2] = 0x78;
  const { run } = importer({ 'a.zip': archive });
  const { failure } = await run();
  expect(failure?.error).toMatchObject({
    message: 'b.ndjson in a.zip is damaged: its length or checksum does not match.',
    hint: 'unzip -t a.zip',
  });
  const cut = importer({ 'a.zip': archive.subarray(0, archive.length - 30) });
  await expect(cut.run()).rejects.toThrow('a.zip is a damaged zip archive: it has no list of files');
});

test('an encrypted archive, a spreadsheet and an archive without data are refused in words', async () => {
  const encrypted = await zipOf({ 'a.csv': 'x' });
  encrypted[encrypted.indexOf(Buffer.from('504b0102', 'hex')) + 8]! |= 1;
  await expect(importer({ 'a.zip': encrypted }).run()).rejects.toThrow('a.zip is encrypted');
  const workbook = await zipOf({ '[Content_Types].xml': '<x/>', 'xl/workbook.xml': '<x/>' });
  await expect(importer({ 'a.xlsx': workbook }).run()).rejects.toThrow('a.xlsx is a spreadsheet');
  const none = await zipOf({ 'a.txt.md': 'x', 'b.md': 'y' });
  await expect(importer({ 'a.zip': none }).run()).rejects.toThrow('without data files');
});

test('a folder and its folders, sorted, without hidden files, rejects files and what is not data', async () => {
  const { run, service, cwd, notices } = importer({});
  write(cwd, {
    'in/day=2/part-0.ndjson': lines(2, 2),
    'in/day=1/part-0.ndjson': lines(2),
    'in/day=1/part-0.ndjson.rejects.ndjson': 'not ours to read',
    'in/_SUCCESS': '',
    'in/.DS_Store': 'x',
    'in/.git/x.json': 'x',
    'in/notes.md': 'x',
  });
  const { result } = await run(only('in'));
  expect(result).toMatchObject({ files: 2, accepted: 4 });
  expect(service.stored).toEqual(events(4));
  expect(notices).toContain('in: left out notes.md, part-0.ndjson.rejects.ndjson');
  await expect(run(only('nothing'))).rejects.toThrow('no such file');
  mkdirSync(join(cwd, 'empty'));
  await expect(run(only('empty'))).rejects.toMatchObject({
    message: expect.stringContaining('without data files'),
    hint: 'ls -A empty',
  });
});

test('a pattern that the shell did not expand', async () => {
  const { run, service, cwd } = importer({});
  write(cwd, {
    'x/b1.ndjson': lines(1, 1),
    'x/a1.ndjson': lines(1),
    'x/a1.ndjson.rejects.ndjson': 'x',
    'x/.h1.ndjson': 'x',
    'x/a1.csv': 'x',
    'y/z/a9.ndjson': lines(1, 2),
  });
  symlinkSync('a1.ndjson', join(cwd, 'x/c[1].ndjson'));
  expect((await run(only('x/?1.ndjson'))).result).toMatchObject({ files: 2, accepted: 2 });
  expect((await run(only('**/a[0-9].ndjson'))).result).toMatchObject({ files: 2, accepted: 2 });
  expect(service.stored).toEqual([...events(2), ...events(1), ...events(1, 2)]);
  // A file of that name comes before the pattern.
  expect((await run(only('x/c[1].ndjson'))).result).toMatchObject({ files: 1, accepted: 1 });
  await expect(run(only('x/*.parquet'))).rejects.toMatchObject({
    message: 'no file matches x/*.parquet',
    hint: 'ls x/',
  });
});

test('a folder that gets files between two nights: only these are sent, wherever they sort', async () => {
  const { run, service, cwd } = importer({});
  write(cwd, { 'in/b.ndjson': lines(15), 'in/d.ndjson': lines(15, 15) });
  await run(only('in'));
  write(cwd, { 'in/a.ndjson': lines(15, 30), 'in/c.ndjson': lines(15, 45) });
  // The night is interrupted after one of its batches.
  service.habits = { after: (count) => (count === 5 ? lost() : undefined) };
  expect((await run({ ...only('in'), mode: 'resume', concurrency: 1 })).failure).toBeDefined();
  service.habits = {};
  expect((await run({ ...only('in'), mode: 'resume' })).result).toMatchObject({ read: 60, unsent: 0 });
  expect(service.stored.toSorted()).toEqual(events(60).toSorted());
  const bodies = service.bodies.length;
  expect((await run({ ...only('in'), mode: 'resume' })).result).toMatchObject({ skipped: 60, accepted: 0 });
  expect(service.bodies).toHaveLength(bodies);
  // A file that is gone cannot be told from one that was renamed: nothing is sent twice by guessing.
  rmSync(join(cwd, 'in/b.ndjson'));
  await expect(run({ ...only('in'), mode: 'resume' })).rejects.toMatchObject({
    reason: 'changed',
    finished: true,
  });
});

test('an archive is resumed where it was interrupted', async () => {
  const service = new KeyedService({ after: (count) => (count === 4 ? lost() : undefined) });
  const archive = await zipOf({ 'a.ndjson': lines(25), 'b.ndjson': lines(25, 25) });
  const { run } = importer({ 'a.zip': archive }, service);
  expect((await run({ concurrency: 1 })).failure).toBeDefined();
  service.habits = {};
  expect((await run({ mode: 'resume' })).result).toMatchObject({ read: 50, skipped: 25, accepted: 25 });
  expect(service.stored).toEqual(events(50));
});
