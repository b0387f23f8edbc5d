import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const event = (n: number) =>
  JSON.stringify({ userId: `u${n}`, event: 'e', timestamp: '2026-01-31T12:00:00Z' });
const CONTENT = `bad 1\n${event(1)}\nbad 2\n${event(2)}\nbad 3\n`;
const RAW = (raws: string[]) => raws.map((line) => JSON.parse(line).raw);

/** A folder with the file, one home, and a service to import it into beside `local`. */
async function place() {
  const home = tempDir();
  writeFileSync(join(home, 'a.ndjson'), CONTENT);
  const service = await startTestService();
  const svc = (line: string, env = {}) =>
    runSvc(line.replace(/^svc /, '').split(' '), { home, cwd: home, env });
  const rejects = (name = 'a.ndjson.rejects.ndjson') =>
    RAW(readFileSync(join(home, name), 'utf8').trimEnd().split('\n'));
  const claims = () => readdirSync(join(home, 'data', 'imports')).filter((name) => name.endsWith('.rejects'));
  return { home, env: service.env, svc, rejects, claims };
}

const LOCAL = 'svc events import a.ndjson -p local --batch-size 1';
const OTHER = 'svc events import a.ndjson --batch-size 1';

test.each([
  ['into another workspace', OTHER, true, /^ \(it began at local and in workspace ws_\w+\)$/],
  ['of a part of it', `${LOCAL} --limit 4`, false, /^ \(it began without --limit\)$/],
])(
  'gives another import %s its own rejects file, while the first is unfinished and after it',
  async (_, command, elsewhere, which) => {
    const { env, svc, rejects } = await place();
    const other = (line: string) => svc(line, elsewhere ? env : {});
    expect((await svc(`${LOCAL} --max-errors 2`)).code).toBe(7);
    expect(rejects()).toEqual(['bad 1', 'bad 2']);

    const named = await other(`${command} --json --rejects a.ndjson.rejects.ndjson`);
    expect([named.code, named.stdout]).toEqual([2, '']);
    const { error } = JSON.parse(named.stderr);
    const words = 'a.ndjson.rejects.ndjson is the rejects file of another import, which is unfinished';
    expect([error.code, error.message.slice(0, words.length)]).toEqual(['usage', words]);
    expect(error.message.slice(words.length)).toMatch(which);
    expect(/svc events import .*$/.exec(error.hint)![0]).toBe(
      `${command} --json --rejects a.ndjson.2.rejects.ndjson`,
    );

    const second = await other(`${command} --json`);
    expect([second.code, JSON.parse(second.stdout).rejectsFile]).toEqual([7, 'a.ndjson.2.rejects.ndjson']);
    expect((await svc(`${LOCAL} --resume`)).code).toBe(7);
    const all = ['bad 1', 'bad 2', 'bad 3'];
    const both = () => [rejects(), rejects('a.ndjson.2.rejects.ndjson')];
    expect(both()).toEqual([all, all.slice(0, elsewhere ? 3 : 2)]);

    expect((await other(`${command} --restart`)).code).toBe(7);
    expect((await svc(`${LOCAL} --restart`)).code).toBe(7);
    expect(both()).toEqual([all, all.slice(0, elsewhere ? 3 : 2)]);
    const foreign = await other(`${command} --restart --rejects a.ndjson.rejects.ndjson`);
    expect([foreign.code, foreign.stderr]).toEqual([
      2,
      `error: a.ndjson.rejects.ndjson is the rejects file of another import\n  next: it is never replaced; use another file: ${command} --rejects a.ndjson.2.rejects.ndjson\n`,
    ]);
    expect(both()).toEqual([all, all.slice(0, elsewhere ? 3 : 2)]);
  },
);

test('other flags, and a file of which no import is known, do not replace rejects', async () => {
  const { home, svc, rejects } = await place();
  const [first, second, third] = ['', '.2', '.3'].map((n) => `a.ndjson${n}.rejects.ndjson`);
  const known = '{"file":"a.ndjson","line":1,"offset":0,"field":"f","reason":"r","raw":"known"}\n';
  writeFileSync(join(home, first!), known);
  const run = async (flags: string) => JSON.parse((await svc(`${LOCAL} --json${flags}`)).stdout).rejectsFile;
  expect(await run('')).toBe(second);
  writeFileSync(join(home, 'a.ndjson'), `${CONTENT}bad 4\n`.replace('bad 1', 'worse'));
  expect(await run(' --set event=x')).toBe(third);
  expect(await run(' --dry-run')).toBe('a.ndjson.dry-run.rejects.ndjson');
  expect((await svc(`${LOCAL} --dry-run --rejects ${second}`)).code).toBe(2);
  expect([rejects(first), rejects(second), rejects(third)]).toEqual([
    ['known'],
    ['bad 1', 'bad 2', 'bad 3'],
    ['worse', 'bad 2', 'bad 3', 'bad 4'],
  ]);
});

test('concurrent imports do not write to the same rejects file', async () => {
  const { home, env, svc, rejects } = await place();
  const pipe = new PassThrough();
  const first = startSvc(['events', 'import', '-', '--rejects', 'r.ndjson', '--flush-interval', '100ms'], {
    home,
    cwd: home,
    env,
    stdin: pipe,
  });
  pipe.write('{bad pipe\n');
  while (!existsSync(join(home, 'r.ndjson')) || readFileSync(join(home, 'r.ndjson'), 'utf8') === '')
    await new Promise((resolve) => setImmediate(resolve));
  // Another name of the same folder is the same file.
  symlinkSync(home, join(home, 'link'));
  const run = await svc(`${LOCAL} --rejects link/r.ndjson`);
  pipe.end();
  expect([run.code, run.stderr]).toEqual([
    2,
    expect.stringMatching(/^error: link\/r\.ndjson is the rejects file of/),
  ]);
  expect((await first.done).code).toBe(7);
  expect(rejects('r.ndjson')).toEqual(['{bad pipe']);
});

test('a claim left by a crash is valid only while its journal is unfinished', async () => {
  const { home, svc, claims } = await place();
  await svc(`${LOCAL} --max-errors 2`);
  const folder = join(home, 'data', 'imports');
  const [claim] = claims();
  writeFileSync(join(folder, claim!), join(folder, 'gone.journal'));
  expect((await svc(`${LOCAL} --limit 4`)).code).toBe(7);
});

test('an import that is resumed in another folder continues its own rejects file', async () => {
  const { home, svc, rejects } = await place();
  await svc(`${LOCAL} --max-errors 2`);
  mkdirSync(join(home, 'below'));
  const again = ['events', 'import', '../a.ndjson', '-p', 'local', '--batch-size', '1', '--resume', '--json'];
  const run = await runSvc(again, { home, cwd: join(home, 'below') });
  expect([run.code, JSON.parse(run.stdout).rejectsFile]).toEqual([7, '../a.ndjson.rejects.ndjson']);
  expect(rejects()).toEqual(['bad 1', 'bad 2', 'bad 3']);
  expect(readdirSync(join(home, 'below'))).toEqual([]);
});

test('a finished import does not change the rejects file', async () => {
  const { home, svc, rejects } = await place();
  await svc(`${LOCAL} --limit 1`);
  const again = `${LOCAL} --limit 1 --resume`;
  expect((await svc(again)).code).toBe(0);
  expect(rejects()).toEqual(['bad 1']);
  unlinkSync(join(home, 'a.ndjson.rejects.ndjson'));
  await svc(again);
  expect(readdirSync(home)).not.toContain('a.ndjson.rejects.ndjson');
});

describe('an import without rejects', () => {
  const NAME = 'a.ndjson.rejects.ndjson';

  test('removes its rejects file of an earlier import of the same file, with a notice', async () => {
    const { home, svc, claims } = await place();
    expect((await svc(LOCAL)).code).toBe(7);
    expect(readdirSync(home)).toContain(NAME);
    writeFileSync(join(home, 'a.ndjson'), `${event(1)}\n${event(2)}\n`);
    const { code, stderr } = await svc(LOCAL);
    expect(code).toBe(0);
    expect(stderr).toContain(`removed ${NAME} of an earlier import: no record was rejected now`);
    expect(readdirSync(home)).not.toContain(NAME);
    expect(claims()).toEqual([]);
  });

  test.each([
    ['that --rejects names', `${LOCAL} --rejects ${NAME}`, undefined],
    ['while only a part of its file is read', `${LOCAL} --limit 1`, undefined],
    [
      'that is of another file',
      LOCAL,
      '{"file":"b.ndjson","line":1,"offset":0,"field":"f","reason":"r","raw":""}',
    ],
    ['that is none', LOCAL, '{"file":"a.ndjson"}'],
    ['that is no JSON', LOCAL, 'my notes'],
  ])('does not remove a file %s', async (_, command, content) => {
    const { home, svc } = await place();
    await svc(LOCAL);
    const before = content ?? readFileSync(join(home, NAME), 'utf8');
    writeFileSync(join(home, NAME), before);
    writeFileSync(join(home, 'a.ndjson'), `${event(1)}\n${event(2)}\n`);
    expect((await svc(command)).code).toBe(0);
    expect(readFileSync(join(home, NAME), 'utf8')).toBe(before);
  });

  test('does not remove the rejects of an earlier pipe', async () => {
    const { home } = await place();
    const pipe = (content: string) =>
      runSvc(['events', 'import', '-', '-p', 'local', '--format', 'ndjson'], {
        home,
        cwd: home,
        stdin: content,
      });
    expect((await pipe(CONTENT)).code).toBe(7);
    const before = readFileSync(join(home, 'stdin.rejects.ndjson'), 'utf8');
    expect((await pipe(event(1))).code).toBe(0);
    expect(readFileSync(join(home, 'stdin.rejects.ndjson'), 'utf8')).toBe(before);
  });

  test('keeps the rejects from before it was resumed', async () => {
    const { home, svc, rejects } = await place();
    writeFileSync(join(home, 'a.ndjson'), `bad 1\n${event(1)}\n`);
    expect((await svc(`${LOCAL} --fail-fast`)).code).toBe(7);
    const { stdout, code } = await svc(`${LOCAL} --resume --json`);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { accepted: 1, rejected: 0, rejectsFile: NAME }]);
    expect(rejects()).toEqual(['bad 1']);
  });
});

test('never overwrites an input with its rejects', async () => {
  const { home, svc } = await place();
  symlinkSync(join(home, 'a.ndjson'), join(home, 'same'));
  for (const rejects of ['a.ndjson', 'same']) {
    const run = await svc(`${LOCAL} --rejects ${rejects}`);
    expect([run.code, run.stderr]).toEqual([
      2,
      `error: --rejects ${rejects} is an input of this import and would be overwritten\n  next: ${LOCAL} --rejects ${rejects.replace('.ndjson', '')}.2.rejects.ndjson\n`,
    ]);
  }
  expect(readFileSync(join(home, 'a.ndjson'), 'utf8')).toBe(CONTENT);
});

describe('a foreign file at the path of the rejects file', () => {
  const NAME = 'a.ndjson.rejects.ndjson';
  const places: [string, (path: string, victim: string) => void][] = [
    ['a symbolic link', (path, victim) => symlinkSync(victim, path)],
    ['a link to nothing', (path, victim) => symlinkSync(`${victim}.new`, path)],
    ['a file of notes', (path) => writeFileSync(path, 'notes\n')],
    ['another NDJSON file', (path) => writeFileSync(path, `${event(1)}\n`)],
  ];

  test.each(places)('%s: is refused before anything is sent if --rejects names it', async (_, make) => {
    const { home, svc } = await place();
    const victim = join(home, 'victim');
    writeFileSync(victim, 'precious\n');
    make(join(home, 'r'), victim);
    const before =
      readFileSync(victim, 'utf8') + (existsSync(join(home, 'r')) && readFileSync(join(home, 'r'), 'utf8'));
    for (const more of ['', ' --dry-run', ' --restart']) {
      const run = await svc(`${LOCAL} --rejects r${more}`);
      expect([run.code, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toMatch(
        /^error: --rejects r is (a symbolic link|not a rejects file) and would be overwritten\n/,
      );
    }
    expect(
      readFileSync(victim, 'utf8') + (existsSync(join(home, 'r')) && readFileSync(join(home, 'r'), 'utf8')),
    ).toBe(before);
    expect(existsSync(`${victim}.new`)).toBe(false);
  });

  test.each(places)('%s: is never written to, and the suggested command works', async (_, make) => {
    const { home, svc, rejects } = await place();
    const victim = join(home, 'victim');
    writeFileSync(victim, 'precious\n');
    make(join(home, NAME), victim);
    const run = await svc(`${LOCAL} --json`);
    expect(run.code).toBe(2);
    const { hint } = JSON.parse(run.stderr).error;
    expect(hint).toContain(
      `mv ${NAME} ${NAME}.kept && svc `
        .replace(NAME, join(home, NAME))
        .replace(`${NAME}.kept`, join(home, `${NAME}.kept`)),
    );
    expect(readFileSync(victim, 'utf8')).toBe('precious\n');
    expect(existsSync(`${victim}.new`)).toBe(false);
    renameSync(join(home, NAME), join(home, `${NAME}.kept`));
    expect((await svc(hint.split(' && ')[1])).code).toBe(7);
    expect(rejects()).toEqual(['bad 1', 'bad 2', 'bad 3']);
  });

  test('--resume does not write through a link that replaced the rejects file', async () => {
    const { home, svc } = await place();
    await svc(`${LOCAL} --max-errors 2`);
    const victim = join(home, 'victim');
    writeFileSync(victim, 'precious\n'.repeat(100));
    unlinkSync(join(home, NAME));
    symlinkSync(victim, join(home, NAME));
    const run = await svc(`${LOCAL} --resume`);
    expect([run.code, run.stderr]).toEqual([2, expect.stringContaining('is a symbolic link')]);
    expect(readFileSync(victim, 'utf8')).toBe('precious\n'.repeat(100));
  });
});

test('--checkpoint neither follows a link nor overwrites a foreign file', async () => {
  const { home, svc } = await place();
  writeFileSync(join(home, 'notes'), 'precious\n');
  symlinkSync(join(home, 'nothing'), join(home, 'dangling'));
  symlinkSync(join(home, 'notes'), join(home, 'link'));
  for (const name of ['notes', 'link', 'dangling'])
    for (const more of ['', ' --restart']) {
      const run = await svc(`${LOCAL} --checkpoint ${name}${more}`);
      expect([run.code, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain('is damaged or is not a journal');
    }
  expect(readFileSync(join(home, 'notes'), 'utf8')).toBe('precious\n');
  expect(existsSync(join(home, 'nothing'))).toBe(false);
});
