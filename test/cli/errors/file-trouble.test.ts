import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toSvcError } from '../../../src/cli/errors/to-svc-error.ts';
import { describeFileProblem } from '../../../src/kit/files/file-trouble.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

/** Every command that reads a file which its user names. */
const READERS: [what: string, argv: (file: string) => string[]][] = [
  ['events import', (file) => ['events', 'import', file, '--profile', 'local']],
  ['users import', (file) => ['users', 'import', file, '--profile', 'local']],
  ['decide --input', (file) => ['decide', '--input', file, '--profile', 'local']],
  ['api --input', (file) => ['api', 'POST', '/v1/events', '--input', file, '--profile', 'local']],
  ['api -f', (file) => ['api', 'POST', '/v1/events', '-F', `a=@${file}`, '--profile', 'local']],
  ['verify', (file) => ['webhooks', 'verify', file, '--signature', 'aa', '--secret-file', 'secret']],
  ['sign', (file) => ['webhooks', 'sign', file, '--secret-file', 'secret']],
  ['--secret-file', (file) => ['webhooks', 'sign', 'secret', '--secret-file', file]],
  ['replay', (file) => ['webhooks', 'replay', file, '--to', '3000', '--no-input']],
  [
    'send',
    (file) => [
      'webhooks',
      'send',
      'campaign.opened',
      '--to',
      '9',
      '--input',
      file,
      '--secret-file',
      'secret',
    ],
  ],
];

function folder(): string {
  const cwd = tempDir();
  writeFileSync(join(cwd, 'secret'), 'a secret of 16 and more');
  mkdirSync(join(cwd, 'a dir'));
  return cwd;
}

// An import reads the files of a directory; all others read one file.
const DIRECTORY = (command: string) =>
  command.endsWith(' import') ? 'a dir is a folder without data files' : 'a dir is a directory, not a file';

describe.each(READERS)('%s', (command, argv) => {
  test.each([
    ['sub/none.txt', 'no such file: sub/none.txt', 'ls -l sub'],
    ['a dir', DIRECTORY(command), undefined],
  ])('reports %s by the typed name, with exit 2', async (file, message, hint) => {
    const run = await runSvc([...argv(file), '--json'], { cwd: folder() });
    expect(run.code, run.stderr).toBe(2);
    const { error } = JSON.parse(run.stderr.trim().split('\n').at(-1)!);
    expect(error).toMatchObject({ code: 'file', message });
    if (hint) expect(error.hint).toBe(hint);
    expect(run.stdout).toBe('');
  });
});

test('a file to write in a missing folder is refused before anything is sent', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'a.ndjson'), 'nonsense\n');
  const argv = ['events', 'import', 'a.ndjson', '--rejects', 'no/r.ndjson', '--profile', 'local'];
  const run = await runSvc(argv, { cwd });
  expect([run.code, run.stdout, run.stderr]).toEqual([
    2,
    '',
    'error: no such folder: no\n  next: mkdir -p no\n',
  ]);
  const listen = await runSvc(
    ['webhooks', 'listen', '--record', 'no/r', '--port', '0', '--secret-file', 'secret'],
    {
      cwd,
    },
  );
  expect([listen.code, listen.stderr]).toEqual([
    2,
    expect.stringMatching(/^error: no such folder: no\n {2}next: mkdir -p no$/m),
  ]);
});

test('other write errors: a missing folder is named, everything else is a disk error', () => {
  const failed = (code: string) =>
    toSvcError(Object.assign(new Error(`${code}: …`), { code, syscall: 'open', path: '/no/r' }), false);
  expect(failed('ENOENT')).toMatchObject({
    code: 'file',
    message: 'no such folder: /no',
    hint: 'mkdir -p /no',
  });
  expect(failed('EACCES')).toMatchObject({ code: 'disk', message: 'permission denied: /no/r' });
});

test.each([
  ['ENOENT', 'no such file: x y', 'ls -l'],
  ['EACCES', 'permission denied: x y', "ls -l 'x y'"],
  ['EPERM', 'permission denied: x y', "ls -l 'x y'"],
  ['ENOSPC', 'no space left on the device of x y', 'df -h'],
  ['EIO', 'x y cannot be read: EIO', "ls -l 'x y'"],
])('%s is explained, with a command that can be pasted', (code, message, hint) => {
  expect(describeFileProblem('x y', { code })).toEqual({ message, hint });
});
