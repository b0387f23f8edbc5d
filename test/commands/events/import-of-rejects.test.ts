import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const T = '2026-01-01T00:00:00Z';

/** A folder in which commands run on local data. */
function folder(files: Record<string, string | Buffer>) {
  const home = tempDir();
  for (const [name, content] of Object.entries(files)) writeFileSync(join(home, name), content);
  const svc = (argv: string[], stdin?: string) =>
    runSvc([...argv, '-p', 'local'], { home, cwd: home, ...(stdin === undefined ? {} : { stdin }) });
  const stored = async () =>
    (await svc(['data', 'export', '--type', 'event'])).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ userId, properties }) => [userId, properties]);
  return { home, svc, stored };
}

/** Corrects what was rejected. */
function correct(path: string, from: string, to: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(from, to));
}

test('columns of rejected rows have the types of their table, not of these rows', async () => {
  const { home, svc, stored } = folder({ 'v.csv': `userId;event;timestamp;code\na;e;${T};x\nb;e;BAD;7\n` });
  expect((await svc(['events', 'import', 'v.csv'])).code).toBe(7);
  correct(join(home, 'v.csv.rejects.ndjson'), 'BAD', T);
  expect((await svc(['events', 'import', 'v.csv.rejects.ndjson'])).code).toBe(0);
  expect(await stored()).toEqual([
    ['a', { code: 'x' }],
    ['b', { code: '7' }],
  ]);
});

test('the header of a table that is gone, or was standard input, is that of --columns', async () => {
  const { home, svc, stored } = folder({ 'v.csv.gz': gzipSync(`userId\tevent\ttimestamp\na\te\tBAD\n`) });
  await svc(['events', 'import', 'v.csv.gz']);
  renameSync(join(home, 'v.csv.gz'), join(home, 'moved'));
  const gone = await svc(['events', 'import', 'v.csv.gz.rejects.ndjson']);
  expect(gone).toMatchObject({ code: 2, stderr: expect.stringContaining('--columns COLUMNS') });
  const piped = await svc(['events', 'import', '-'], `userId\tevent\ttimestamp\nb\te\tBAD\n`);
  const [, command] = /then: svc (.*)\n/.exec(piped.stderr)!;
  expect(command).toContain('--columns userId,event,timestamp --delimiter tab');
  correct(join(home, 'stdin.rejects.ndjson'), 'BAD', T);
  expect((await svc(command!.replace(' -p local', '').split(' '))).code).toBe(0);
  expect((await stored()).map(([userId]) => userId)).toEqual(['b']);
});

test('what is not UTF-8 is read from its bytes with --encoding, unless it was corrected', async () => {
  const rows = [`a,e,${T},München`, `b,e,${T},Köln`];
  const { home, svc, stored } = folder({
    'v.csv': Buffer.from(`userId,event,timestamp,city\n${rows.join('\n')}\nc,e,${T},x\n`, 'latin1'),
  });
  await svc(['events', 'import', 'v.csv']);
  correct(join(home, 'v.csv.rejects.ndjson'), 'K\ufffdln', 'Köln (2)');
  const again = await svc(['events', 'import', 'v.csv.rejects.ndjson']);
  expect(again).toMatchObject({ code: 7, stderr: expect.stringContaining('--encoding windows-1252') });
  const rest = await svc(['events', 'import', 'v.csv.2.rejects.ndjson', '--encoding', 'windows-1252']);
  expect(rest.code).toBe(0);
  expect((await stored()).map(([, properties]) => properties.city)).toEqual(['x', 'Köln (2)', 'München']);
});

test('a record that the service refuses again keeps its place in its own input', async () => {
  const { home, svc } = folder({
    'v.ndjson': `{"userId":"u","event":"e","timestamp":"${T}","properties":{"a":BAD}}\n`,
  });
  await svc(['events', 'import', 'v.ndjson']);
  const read = (name: string) => JSON.parse(readFileSync(join(home, name), 'utf8'));
  correct(join(home, 'v.ndjson.rejects.ndjson'), 'BAD', '[1]');
  await svc(['events', 'import', 'v.ndjson.rejects.ndjson', '--no-validate']);
  expect(read('v.ndjson.2.rejects.ndjson')).toMatchObject({
    file: 'v.ndjson',
    line: 1,
    offset: 0,
    status: 400,
    raw: expect.stringContaining('[1]'),
  });
});
