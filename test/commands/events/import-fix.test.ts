import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { ROOT, runSvc } from '../../support/process/run-svc.ts';
import { imported } from '../../support/scenarios/imported.ts';
import { tempDir } from '../../support/temp.ts';

const bad = '{"userId":"u","event":"e","timestamp":"bad"}\n';
const rows = 'who,event,timestamp\nu,e,2026-01-31T12:00:00Z\nv,e,bad\n';
test.each([
  ["it's.ndjson", bad, [], 'fixed.ndjson', []],
  ['a.csv', rows, ['--map', 'userId=who'], 'fixed.csv', ['--map', 'userId=who']],
  ['a.csv.gz', gzipSync(rows), ['--map', 'userId=who'], 'fixed.csv', ['--map', 'userId=who']],
  [
    'a.txt',
    rows,
    ['--format', 'csv', '--map=userId=who', '--limit', '2', '--rejects', 'r.ndjson'],
    'fixed.csv',
    ['--format', 'csv', '--map=userId=who'],
  ],
] as const)('prints how to import the rejects of %s again', async (file, text, flags, fixed, kept) => {
  const { code, stderr, home } = await imported(file, text, ...flags);
  expect(code).toBe(7);
  const step = stepOf(stderr);
  expect(step.send).toBe(`svc events import ${[fixed, '-p', 'local', ...kept].join(' ')}`);
  const again = await fixRejects(home, step, fixed, '2026-01-31T12:00:00Z');
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('"read":1,"accepted":1,') });
});

/** The lines by which rejects are taken out and sent again. */
function stepOf(stderr: string): { readonly take: string; readonly send: string } {
  const [, take, send] = /extract them: (.+)\n\s+fix them in that file, then: (.+)\n/.exec(stderr)!;
  return { take: take!, send: send! };
}

/** Follows those lines in a shell, the first one twice, with `bad` fixed to something else. */
function fixRejects(home: string, { take, send }: ReturnType<typeof stepOf>, file: string, to: string) {
  const jq = join(home, 'jq');
  if (!existsSync(jq)) symlinkSync(join(ROOT, 'test/support/jq.mjs'), jq);
  const PATH = [home, dirname(process.execPath), process.env.PATH].join(delimiter);
  execFileSync('sh', ['-c', `${take}; ${take} && sed -i.old s/bad/${to}/ ${file}`], {
    cwd: home,
    env: { PATH },
  });
  return runSvc([...send.split(' ').slice(1), '--json'], { home, cwd: home });
}

test('imports extracted records as UTF-8, also where a mapping file names the encoding of the input', async () => {
  const mapping = join(tempDir(), 'mapping.json');
  writeFileSync(mapping, JSON.stringify({ version: 1, encoding: 'windows-1252' }));
  const text = 'userId,event,timestamp,city\nu,e,2026-01-31T12:00:00Z,Bonn\nv,e,bad,München\n';
  const { code, stderr, home } = await imported('a.csv', Buffer.from(text, 'latin1'), '--mapping', mapping);
  expect(code).toBe(7);
  expect(await fixRejects(home, stepOf(stderr), 'fixed.csv', '2026-01-31T12:00:00Z')).toMatchObject({
    code: 0,
  });
  const stored = await runSvc(['data', 'export', '--type', 'event', '-p', 'local'], { home, cwd: home });
  const cities = stored.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).properties.city);
  expect(cities).toEqual(['Bonn', 'München']);
});

test.each([
  ['a.csv', rows, ['--map', 'userId=who'], '.csv'],
  ['a.ndjson', bad, [], '.ndjson'],
])(
  'extracts records of %s that are still invalid in a second round to a new file',
  async (file, text, flags, kind) => {
    const { stderr, home } = await imported(file, text, ...flags);
    const second = await fixRejects(home, stepOf(stderr), `fixed${kind}`, 'bad');
    const before = readFileSync(join(home, `fixed${kind}`), 'utf8');
    const step = stepOf(`${JSON.parse(second.stderr).error.hint.replaceAll(' # ', '\n  ')}\n`);
    expect(step.send).toContain(`svc events import fixed-2${kind} `);
    const third = await fixRejects(home, step, `fixed-2${kind}`, '2026-01-31T12:00:00Z');
    expect(third).toMatchObject({ code: 0, stdout: expect.stringContaining('"read":1,"accepted":1,') });
    expect(readFileSync(join(home, `fixed${kind}`), 'utf8')).toBe(before);
  },
);

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

  test('for a part of the records: prints commands that extract them and import them with the flags', async () => {
    const good = { ...local, timestamp: '2026-01-31T12:00:00Z' };
    const { stderr, home } = await imported('a.ndjson', lines(good, local));
    expect(stderr).toContain('> fixed.ndjson\n        then: svc');
    writeFileSync(join(home, 'fixed.ndjson'), lines(local));
    const { command, run } = follow(home, stderr, ' then: ');
    expect(command).toBe('svc events import fixed.ndjson -p local --convert-timestamps');
    expect((await run()).code).toBe(0);
  });

  test('does not suggest flags if other errors remain', async () => {
    const { stderr, rejects } = await imported('a.ndjson', lines({ user: 'u', ...local, userId: undefined }));
    expect(stderr).toContain('fix them in that file, then: svc events import fixed.ndjson -p local\n');
    expect(rejects()).toEqual([
      expect.stringMatching(/^userId is missing; .*--convert-timestamps.*--extra-fields/),
    ]);
  });
});
