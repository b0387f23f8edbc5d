import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { imported } from '../../support/scenarios/imported.ts';
import { tempDir } from '../../support/temp.ts';

const bad = '{"userId":"u","event":"e","timestamp":"bad"}\n';
const rows = 'who,event,timestamp\nu,e,2026-01-31T12:00:00Z\nv,e,bad\n';
test.each([
  ["it's.ndjson", bad, [], "'it'\\''s.ndjson.rejects.ndjson' -p local"],
  ['a.csv', rows, ['--map', 'userId=who'], 'a.csv.rejects.ndjson -p local --map userId=who'],
  ['a.csv.gz', gzipSync(rows), ['--map', 'userId=who'], 'a.csv.gz.rejects.ndjson -p local --map userId=who'],
  [
    'a.txt',
    rows,
    ['--format', 'csv', '--map=userId=who', '--limit', '2', '--rejects', 'r.ndjson'],
    'r.ndjson -p local --format csv --map=userId=who',
  ],
] as const)('prints how to import the rejects of %s again', async (file, text, flags, words) => {
  const { code, stderr, home } = await imported(file, text, ...flags);
  expect(code).toBe(7);
  const { send, rejects } = stepOf(stderr);
  expect(send).toBe(`svc events import ${words}`);
  const again = await fixRejects(home, { send, rejects }, '2026-01-31T12:00:00Z');
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('"read":1,"accepted":1,') });
});

/** The step by which rejects are sent again. */
function stepOf(stderr: string): { readonly send: string; readonly rejects: string } {
  const [, rejects, send] = /correct their "raw" in (.+), then: (svc .+?)(?:"|\n)/.exec(stderr)!;
  return { rejects: rejects!, send: send! };
}

/** Follows that step, with `bad` corrected to something else. */
function fixRejects(home: string, { rejects, send }: ReturnType<typeof stepOf>, to: string) {
  const file = join(home, rejects);
  // A program reads the file of a name with a quote without a shell.
  writeFileSync(file, readFileSync(file, 'utf8').replace(/("raw":.*)bad/g, `$1${to}`));
  const words = send
    .replaceAll(/'it.*?ndjson'/g, rejects)
    .split(' ')
    .slice(1);
  return runSvc([...words, '--json'], { home, cwd: home });
}

test('imports rejects as UTF-8, also where a mapping file names the encoding of the input', async () => {
  const mapping = join(tempDir(), 'mapping.json');
  writeFileSync(mapping, JSON.stringify({ version: 1, encoding: 'windows-1252' }));
  const text = 'userId,event,timestamp,Straße\nu,e,2026-01-31T12:00:00Z,Bonn\nv,e,bad,München\n';
  const { code, stderr, home } = await imported('a.csv', Buffer.from(text, 'latin1'), '--mapping', mapping);
  expect(code).toBe(7);
  expect(await fixRejects(home, stepOf(stderr), '2026-01-31T12:00:00Z')).toMatchObject({ code: 0 });
  const stored = await runSvc(['data', 'export', '--type', 'event', '-p', 'local'], { home, cwd: home });
  const cities = stored.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).properties);
  expect(cities).toEqual([{ Straße: 'Bonn' }, { Straße: 'München' }]);
});

test.each([
  ['a.csv', rows, ['--map', 'userId=who']],
  ['a.ndjson', bad, []],
])('rejects of rejects of %s go to a file of their own', async (file, text, flags) => {
  const { stderr, home } = await imported(file, text, ...flags);
  const second = await fixRejects(home, stepOf(stderr), 'bad');
  const before = readFileSync(join(home, `${file}.rejects.ndjson`), 'utf8');
  const step = stepOf(JSON.parse(second.stderr).error.hint.concat('\n'));
  expect(step.rejects).toBe(`${file}.2.rejects.ndjson`);
  expect(readFileSync(join(home, step.rejects), 'utf8')).toBe(before);
  const third = await fixRejects(home, step, '2026-01-31T12:00:00Z');
  expect(third).toMatchObject({ code: 0, stdout: expect.stringContaining('"read":1,"accepted":1,') });
  expect(readFileSync(join(home, `${file}.rejects.ndjson`), 'utf8')).toBe(before);
});

describe('when flags fix the rejected records', () => {
  const local = { userId: 'u', event: 'e', timestamp: '2026-01-31 12:00' };
  const lines = (...records: object[]) => records.map((record) => JSON.stringify(record)).join('\n');
  const follow = (home: string, stderr: string, before: string) => {
    const command = new RegExp(`${before}(svc events import .*)\\n`).exec(stderr)![1]!;
    return { command, run: () => runSvc([...command.split(' ').slice(1), '--json'], { home, cwd: home }) };
  };

  test.each([
    [
      'all of it',
      [local, { ...local, plan: 1 }],
      [],
      'a.ndjson -p local --convert-timestamps --extra-fields properties',
    ],
    [
      'all of it so far',
      [local, local],
      ['--fail-fast'],
      'a.ndjson -p local --fail-fast --convert-timestamps --restart',
    ],
    [
      'what was refused by a flag',
      [{ ...local, timestamp: '2026-01-31T12:00:00Z', plan: 1 }],
      ['--extra-fields', 'reject'],
      'a.ndjson -p local --extra-fields properties',
    ],
  ])('%s: prints the command with them', async (_, records, flags, words) => {
    const { code, stderr, home } = await imported('a.ndjson', lines(...records), ...flags);
    expect(code).toBe(7);
    const { command, run } = follow(home, stderr, 'no record was accepted; to import them: ');
    expect(command).toBe(`svc events import ${words}`);
    const again = await run();
    expect(JSON.parse(again.stdout)).toMatchObject({ accepted: records.length, rejected: 0 });
  });

  test('for a part of the records: prints the command that imports the rejects with the flags', async () => {
    const good = { ...local, timestamp: '2026-01-31T12:00:00Z' };
    const { stderr, home } = await imported('a.ndjson', lines(good, local));
    const { command, run } = follow(home, stderr, ' to import them: ');
    expect(command).toBe('svc events import a.ndjson.rejects.ndjson -p local --convert-timestamps');
    expect((await run()).code).toBe(0);
  });

  test('does not suggest flags if other errors remain', async () => {
    const { stderr, rejects } = await imported('a.ndjson', lines({ user: 'u', ...local, userId: undefined }));
    expect(stderr).toContain('then: svc events import a.ndjson.rejects.ndjson -p local\n');
    expect(rejects()).toEqual([
      expect.stringMatching(/^userId is missing; .*--convert-timestamps.*--extra-fields/),
    ]);
  });
});
