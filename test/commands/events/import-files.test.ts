import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const T = '2026-01-31T12:00:00Z';
const HEAD = 'userId,event,timestamp';
const event = (id: string) => JSON.stringify({ userId: id, event: 'e', timestamp: T });

/** A folder with files, where commands can be run, and those that a message names. */
function folder(files: Record<string, string | Buffer>) {
  const home = tempDir();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(home, name, '..'), { recursive: true });
    writeFileSync(join(home, name), content);
  }
  const svc = (...argv: string[]) => runSvc([...argv, '-p', 'local'], { home, cwd: home });
  const imported = (...argv: string[]) => svc('events', 'import', ...argv);
  const stored = async (): Promise<Record<string, string>[]> => {
    const { stdout } = await svc('data', 'export', '--type', 'event');
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
  };
  const users = async () => (await stored()).map(({ userId }) => userId).sort();
  /** Corrects the rejects by `fix` on the "raw" of each, and runs the command of a hint. */
  const follow = async (stderr: string, fix: (raw: string) => string = (raw) => raw) => {
    const [, command, file] = /: svc (events import (\S+) .*)$/m.exec(stderr)!;
    const lines = readFileSync(join(home, file!), 'utf8').trimEnd().split('\n');
    const fixed = lines
      .map((line) => JSON.parse(line))
      .map((reject) => ({ ...reject, raw: fix(reject.raw) }));
    writeFileSync(join(home, file!), fixed.map((reject) => `${JSON.stringify(reject)}\n`).join(''));
    const run = await runSvc(command!.split(' '), { home, cwd: home });
    expect(run).toMatchObject({ code: 0 });
  };
  return { home, svc, imported, stored, users, follow };
}

test('Latin-1 bytes among UTF-8: the commands keep every byte and every flag', async () => {
  const rows = [`a,e,${T},plain`, `b,e,${T},Men\xfc`, `c,e,${T},Jos\xe9`, `x,e,${T}`].join('\n');
  const { imported, stored, follow } = folder({
    'in.csv': Buffer.from(`who,event,timestamp,name\n${rows}\n`, 'latin1'),
  });
  const run = await imported('in.csv', '--map', 'userId=who');
  expect(run.code).toBe(7);
  await follow(run.stderr, (raw) => (raw === `x,e,${T}` ? `${raw},fixed` : raw));
  const names = (await stored()).map((one) => JSON.parse(JSON.stringify(one)).properties.name);
  expect(names.sort()).toEqual(['José', 'Menü', 'fixed', 'plain']);
});

test('a file that is all Latin-1 names --encoding and keeps the flags typed', async () => {
  const rows = Array.from({ length: 3 }, (_, n) => `u${n},e,${T},Men\xfc`).join('\n');
  const { imported, stored } = folder({
    'in.csv': Buffer.from(`who,event,timestamp,name\n${rows}\n`, 'latin1'),
  });
  const run = await imported('in.csv', '--map', 'userId=who', '--batch-size', '2');
  expect(run.stderr).toContain(
    'svc events import in.csv --map userId=who --batch-size 2 -p local --encoding windows-1252',
  );
  expect((await imported('in.csv', '--map', 'userId=who', '--encoding', 'latin1')).code).toBe(0);
  expect((await stored()).map((one) => JSON.parse(JSON.stringify(one)).properties.name)).toEqual(
    Array(3).fill('Menü'),
  );
  const header = folder({
    'in.csv': Buffer.from(`userId,event,timestamp,pr\xe9nom\nu,e,${T},x\n`, 'latin1'),
  });
  expect((await header.imported('in.csv')).stderr).toContain(
    'svc events import in.csv -p local --encoding windows-1252',
  );
});

test('rejects of CSV files are read below the header of their own file', async () => {
  const { imported, stored, follow } = folder({
    'a.csv': `${HEAD},x,y\na,e,${T},1,2\nbad,e,${T},3\n`,
    'b.csv': `y,x,${HEAD}\n4,5,b,e,${T}\n`,
  });
  const run = await imported('a.csv', 'b.csv');
  await follow(run.stderr, (raw) => `${raw},4`);
  expect((await stored()).map(({ userId, properties }) => [userId, properties])).toEqual([
    ['a', { x: 1, y: 2 }],
    ['b', { x: 5, y: 4 }],
    ['bad', { x: 3, y: 4 }],
  ]);
  const both = folder({ 'a.csv': `${HEAD},x\nbad\n`, 'b.csv': `x,${HEAD}\nbad\n` });
  const { stderr } = await both.imported('a.csv', 'b.csv');
  expect(stderr).toContain('then: svc events import a.csv.rejects.ndjson -p local\n');
  const together = await both.imported('a.csv.rejects.ndjson');
  expect(together.code).toBe(2);
  expect(together.stderr).toContain('has rows of tables with other columns: a.csv and b.csv');
  expect(together.stderr).toContain(
    `jq -c 'select(.file == "b.csv")' a.csv.rejects.ndjson > b.csv.part.rejects.ndjson && svc events import b.csv.part.rejects.ndjson`,
  );
});

test.each([
  ['a CSV found by its content', 'rows', `${HEAD}\na,e,${T}\nbad\n`, []],
  ['a CSV below a title', 'a.csv', `Report of May\n\n${HEAD}\na,e,${T}\nb,e,${T}\nbad\n`, []],
  ['a CSV without a header', 'a.csv', `a,e,${T}\nbad\n`, ['--columns', HEAD]],
  ['an indented array', 'a.json', JSON.stringify([JSON.parse(event('a')), { userId: 'bad' }], null, 2), []],
])('the command after %s imports what was corrected', async (_, name, content, flags) => {
  const { imported, users, follow } = folder({ [name]: content });
  const run = await imported(name, ...flags);
  expect(run.code).toBe(7);
  await follow(run.stderr, (raw) => (raw.includes('{') ? event('bad') : `bad,e,${T}`));
  expect(await users()).toContain('bad');
});

test('flags that no input could follow are refused, and the step is the command without them', async () => {
  const { imported } = folder({ 'a.ndjson': `${event('a')}\n`, 'b.bin': Buffer.alloc(500) });
  const columns = await imported('a.ndjson', '--columns', 'a,b', '--batch-size', '5');
  expect(columns).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--columns is for CSV, and a.ndjson is JSON'),
  });
  expect(columns.stderr).toContain('svc events import a.ndjson --batch-size 5 -p local');
  expect((await imported('a.ndjson', '--delimiter', ';')).stderr).toContain('--delimiter is for CSV');
  expect((await imported('a.ndjson', '--format', 'csv', '--records', 'x')).stderr).toContain(
    '--format is csv',
  );
  expect((await imported('a.ndjson', '--encoding', 'klingon')).stderr).toContain('not a known encoding');
  // A forced format changes nothing about the name in the message.
  expect((await imported('b.bin', '--format', 'csv')).stderr).toContain('b.bin is binary data');
});

test('a rejects file that a pattern names is left out, and never overwritten while it is an input', async () => {
  const { imported, home, users } = folder({
    'a.ndjson': `${event('a')}\nbad\n`,
    'b.ndjson': `${event('b')}\n`,
  });
  await imported('a.ndjson', 'b.ndjson');
  const rejects = readFileSync(join(home, 'a.ndjson.rejects.ndjson'), 'utf8');
  const again = await imported('a.ndjson', 'a.ndjson.rejects.ndjson', 'b.ndjson', '--resume');
  expect(again.stderr).toContain('left out a.ndjson.rejects.ndjson: the rejects of an earlier import');
  expect(again.stdout).toMatch(/skipped\s+3/);
  expect(await users()).toEqual(['a', 'b']);
  const alone = await imported('a.ndjson.rejects.ndjson');
  expect(alone).toMatchObject({ code: 7, stderr: expect.stringContaining('a.ndjson.2.rejects.ndjson') });
  expect(readFileSync(join(home, 'a.ndjson.rejects.ndjson'), 'utf8')).toBe(rejects);
  // A file of that name that is not ours is an input like any other.
  writeFileSync(join(home, 'a.ndjson.rejects.ndjson'), `${event('c')}\n`);
  const taken = await imported('a.ndjson', 'a.ndjson.rejects.ndjson', '--restart');
  expect(taken.code).toBe(2);
  expect(taken.stderr).toContain(
    'a.ndjson.rejects.ndjson is an input of this import and would be overwritten',
  );
  expect(taken.stderr).toContain('--rejects a.ndjson.2.rejects.ndjson');
  expect(readFileSync(join(home, 'a.ndjson.rejects.ndjson'), 'utf8')).toBe(`${event('c')}\n`);
});

test('the rejects of a folder and of a pattern are beside it, and the next run does not read them', async () => {
  const { imported, home } = folder({ 'in/a.ndjson': `${event('a')}\nbad\n` });
  expect((await imported('in/')).code).toBe(7);
  expect(existsSync(join(home, 'in.rejects.ndjson'))).toBe(true);
  expect((await imported('in/*.ndjson')).code).toBe(7);
  expect((await imported('in', '--resume')).stdout).toMatch(/skipped\s+2/);
  expect((await imported('*/*.ndjson')).code).toBe(7);
  expect(existsSync(join(home, 'import.rejects.ndjson'))).toBe(true);
});

test.each([
  [
    's3://bucket/e 1.csv',
    [],
    "aws s3 cp 's3://bucket/e 1.csv' - | svc events import - --set event=e -p local",
  ],
  [
    'a.csv.bz2',
    Buffer.from('BZh91AY&SY'),
    'bzip2 -dc a.csv.bz2 | svc events import - --set event=e -p local',
  ],
  ['a.zip', Buffer.from('504b0506000000000000', 'hex'), 'unzip -t a.zip'],
])('%s is refused under its own name, with the flags typed', async (name, content, step) => {
  const files = typeof content === 'string' || Buffer.isBuffer(content) ? { [name]: content } : {};
  const run = await folder(files).imported(name, '--set', 'event=e');
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(step);
});

test('a tar archive: the printed command keeps the other inputs and the flags, quoted, and works', async () => {
  const { home, imported, svc, users } = folder({
    'made/in.csv': `who,event,timestamp\na,e,${T}\n`,
    'b.csv': `who,event,timestamp\nb,e,${T}\n`,
  });
  execFileSync('tar', ['-czf', 'old logs.tar.gz', '-C', 'made', '.'], { cwd: home });
  const flags = ['--map', 'userId=who', '--set', "note=it's new"];
  const kept = `--map userId=who --set 'note=it'\\''s new' -p local`;
  const unpack = "mkdir -p 'old logs' && tar -xf 'old logs.tar.gz' -C 'old logs'";
  const run = await imported('old logs.tar.gz', 'b.csv', ...flags);
  expect(run).toMatchObject({ code: 2 });
  expect(run.stderr).toContain(`${unpack} && svc events import b.csv 'old logs' ${kept}`);
  execFileSync('sh', ['-c', unpack], { cwd: home });
  expect(await imported('b.csv', 'old logs', ...flags)).toMatchObject({ code: 0 });
  expect(await users()).toEqual(['a', 'b']);
  const inspected = await svc('events', 'inspect', 'old logs.tar.gz', ...flags);
  expect(inspected.stderr).toContain(`${unpack} && svc events inspect 'old logs' ${kept}`);
});

test.each([
  [
    'a.xlsx.parquet',
    Buffer.from('PAR1 but damaged, PAR1'),
    'duckdb -c ',
    ' && svc events import converted.ndjson',
  ],
  [
    'a.xls',
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    'libreoffice --convert-to csv a.xls && svc events import a.csv',
    '',
  ],
  ['a b.csv.xz', Buffer.from('fd377a585a00', 'hex'), "xz -dc 'a b.csv.xz' | svc events import -", ''],
])(
  '%s: the conversion that is printed ends in the command with its flags',
  async (name, content, by, last) => {
    const run = await folder({ [name]: content }).imported(name, '--drop', 'a b');
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(by);
    expect(run.stderr).toContain(`${last} --drop 'a b' -p local`);
  },
);
