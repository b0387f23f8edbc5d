import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const event = (userId: string) =>
  `${JSON.stringify({ userId, event: 'e', timestamp: '2026-01-31T12:00:00Z' })}\n`;

/** A folder with files that hold one event each, whose user is the name of the file. */
function folder(...names: string[]) {
  const [home, cwd] = [tempDir(), tempDir()];
  for (const name of names) {
    mkdirSync(join(cwd, name, '..'), { recursive: true });
    writeFileSync(join(cwd, name), event(name));
  }
  const svc = (...argv: string[]) => runSvc([...argv, '-p', 'local'], { home, cwd });
  const users = async () =>
    (await svc('data', 'export', '--type', 'event')).stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).userId)
      .sort();
  return { cwd, imported: (...argv: string[]) => svc('events', 'import', ...argv), users };
}

test.each(['logs', 'logs/', './logs', './logs/', './/logs', 'logs/../logs/'])(
  'every file of a folder is read when it is named %s, and it is one import',
  async (name) => {
    const files = ['logs/01.ndjson', 'logs/02.ndjson', 'logs/a/b.ndjson', 'logs/index.ndjson'];
    const { imported, users } = folder(...files, 'logs/.hid/a.ndjson', 'logs/.secret.ndjson');
    expect(await imported(name)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('left out') });
    expect(await users()).toEqual(files);
    const again = await imported('logs');
    expect(again.stderr).toContain('did not change since: nothing is sent');
    expect(await users()).toEqual(files);
  },
);

test('a short name of a file in ./f is read', async () => {
  const { imported, users } = folder('f/a.ndjson');
  expect(await imported('./f')).toMatchObject({ code: 0 });
  expect(await users()).toEqual(['f/a.ndjson']);
});

test('hidden files of the folder `.` are left out, and a hidden folder that is named is read', async () => {
  const { imported, users } = folder('b.ndjson', '.hid/a.ndjson', '.hid/.svn/c.ndjson', '.secret.ndjson');
  expect(await imported('.')).toMatchObject({ code: 0 });
  expect(await users()).toEqual(['b.ndjson']);
  expect(await imported('./.hid')).toMatchObject({ code: 0 });
  expect(await users()).toEqual(['.hid/a.ndjson', 'b.ndjson']);
});

test.each<[string, string[], string]>([
  ['twice', ['b.ndjson', './b.ndjson'], './b.ndjson'],
  ['also in a folder', ['f', 'f/a.ndjson'], 'f/a.ndjson'],
  ['also by a link', ['link.ndjson', 'b.ndjson'], 'link.ndjson'],
  ['in a folder that a link names', ['f', 'folder'], 'folder/a.ndjson'],
])('a file that is named %s is sent once', async (_, inputs, left) => {
  const { cwd, imported, users } = folder('b.ndjson', 'f/a.ndjson');
  symlinkSync('b.ndjson', join(cwd, 'link.ndjson'));
  symlinkSync('f', join(cwd, 'folder'));
  const run = await imported(...inputs);
  expect([run.code, run.stderr]).toEqual([0, expect.stringContaining(`left out ${left}: named twice`)]);
  expect(await users()).toHaveLength(1);
});
