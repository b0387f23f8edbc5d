import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const KEY = 'sk_live_0123456789abcdef0123';
const add = (home: string, name: string) =>
  runSvc(
    [
      'profiles',
      'add',
      name,
      '--no-check',
      '--workspace',
      'ws_1',
      '--region',
      'eu',
      '--base-url',
      'https://eu.example.com',
      '--api-key-stdin',
      '--json',
    ],
    { home, stdin: `${KEY}\n` },
  );

describe('svc profiles', () => {
  it('adds, lists, uses, renames and removes', async () => {
    const home = tempDir();
    expect(await add(home, 'one')).toMatchObject({
      code: 0,
      stdout: '{"name":"one","current":true}\n',
      stderr: '',
    });
    expect((await add(home, 'two')).stdout).toBe('{"name":"two","current":false}\n');
    await runSvc(['profiles', 'use', 'two'], { home });
    await runSvc(['profiles', 'rename', 'two', 'zwei'], { home });
    const listed = JSON.parse((await runSvc(['profiles', 'list', '--json'], { home })).stdout);
    expect(listed.profiles.map((p: { name: string; current: boolean }) => [p.name, p.current])).toEqual([
      ['one', false],
      ['zwei', true],
      ['local', false],
    ]);
    await runSvc(['profiles', 'remove', 'zwei'], { home });
    expect((await runSvc(['profiles', 'show'], { home })).code).toBe(4);
  });

  it('keeps the key 0600 and shows it masked', async () => {
    const home = tempDir();
    await add(home, 'one');
    const file = join(home, 'config', 'profiles.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    await add(home, 'two');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(KEY);
    const shown = await runSvc(['profiles', 'show', 'one'], { home });
    expect(shown.stdout).toContain('sk_live_…0123');
    expect(shown.stdout + shown.stderr).not.toContain(KEY);
  });

  it('changes given values, keeps the others, and reports both', async () => {
    const home = tempDir();
    const first = [
      'profiles',
      'add',
      'one',
      '--no-check',
      '--workspace',
      'ws_1',
      '--region',
      'eu',
      '--api-key-stdin',
    ];
    const url = ['--base-url', 'https://eu.example.com'];
    await runSvc([...first, ...url, '--sandbox', '--idempotent'], { home, stdin: KEY });
    const changed = await runSvc(['profiles', 'add', 'one', '--no-check', '--region', 'us'], { home });
    expect(changed).toEqual({
      code: 0,
      stdout: 'changed profile one, which is in use\n',
      stderr:
        'changed: region eu to us; kept: workspace ws_1, base URL https://eu.example.com, key sk_live_…0123, --sandbox yes, --idempotent yes\n',
    });
    const other = await runSvc(
      ['profiles', 'add', 'one', '--no-check', '--no-sandbox', '--api-key-stdin', '--json'],
      {
        home,
        stdin: 'sk_live_other_key_of_length',
      },
    );
    expect(other.stderr).toMatch(/^changed: key sk_live_…0123 to sk_live_…ngth, --sandbox yes to no; kept: /);
    const file = JSON.parse(readFileSync(join(home, 'config', 'profiles.json'), 'utf8'));
    expect(file.profiles.one).toEqual({
      workspace: 'ws_1',
      region: 'us',
      baseUrl: 'https://eu.example.com',
      apiKey: 'sk_live_other_key_of_length',
      sandbox: false,
      keysHonoured: true,
    });
  });

  it.each([
    ['--idempotent', true],
    ['--no-idempotent', false],
    ['--keys-honoured', true],
    ['--no-keys-honoured', false],
  ])('%s is stored in the field that earlier versions read', async (flag, stored) => {
    const home = tempDir();
    const argv = ['--no-check', '--workspace', 'w', '--base-url', 'https://eu.example.com', flag];
    const run = await runSvc(['profiles', 'add', 'one', ...argv], { home, env: { SVC_API_KEY: KEY.trim() } });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const { profiles } = JSON.parse(readFileSync(join(home, 'config', 'profiles.json'), 'utf8'));
    expect(profiles.one).toMatchObject({ keysHonoured: stored });
  });

  it('prompts for a new key if only the name is given', async () => {
    const home = tempDir();
    await add(home, 'one');
    const run = await runSvc(['profiles', 'add', 'one'], { home });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/API key is required.*\n {2}next: .*--api-key-stdin/);
    expect(
      (await runSvc(['profiles', 'add', 'one', '--sandbox'], { home, env: { SVC_API_KEY: 'a b' } })).code,
    ).toBe(2);
    expect((await runSvc(['profiles', 'show', 'one'], { home })).stdout).toMatch(
      /apiKey\tsk_live_…0123\n.*sandbox\tfalse/s,
    );
  });

  it('loses no profile when many are added at once', async () => {
    const home = tempDir();
    const names = Array.from({ length: 10 }, (_, i) => `p${i}`);
    await Promise.all(names.map((name) => add(home, name)));
    const listed = JSON.parse((await runSvc(['profiles', 'list', '--json'], { home })).stdout);
    expect(listed.profiles.map((p: { name: string }) => p.name).sort()).toEqual(['local', ...names].sort());
  });

  it('does not change a damaged file, and names the next step', async () => {
    const home = tempDir();
    await add(home, 'one');
    const file = join(home, 'config', 'profiles.json');
    for (const damage of ['{"profiles": {"one"', '', '[]', '{"profiles": {"one": 5}}']) {
      writeFileSync(file, damage);
      const run = await runSvc(['profiles', 'list'], { home });
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain(file);
      expect(run.stderr).toContain(`mv ${file} ${file}.broken`);
      expect((await add(home, 'two')).code).toBe(2);
      expect(readFileSync(file, 'utf8')).toBe(damage);
    }
  });

  it.each([
    [['add', 'local', '--workspace', 'w', '--base-url', 'https://x.example'], 2],
    [['add', 'a b', '--workspace', 'w', '--base-url', 'https://x.example'], 2],
    [['add', 'a', '--workspace', 'w'], 2],
    [['add', 'a', '--workspace', 'w', '--base-url', 'http://x.example'], 2],
    [['add', 'a', '--workspace', 'w', '--base-url', 'https://u:p@x.example'], 2],
    [['add', 'a', '--workspace', 'w', '--base-url', 'https://x.example', '--no-input'], 2],
    [['use', 'nobody'], 2],
    [['remove', 'local'], 2],
    [['show', '--what'], 2],
  ])('refuses %j with exit %i and at most three lines', async (argv, code) => {
    const run = await runSvc(['profiles', ...argv]);
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr.trim().split('\n').length).toBeLessThanOrEqual(3);
    const json = await runSvc(['profiles', ...argv, '--json']);
    expect(json).toMatchObject({ code, stdout: '' });
    expect(JSON.parse(json.stderr).error).toMatchObject({ exitCode: code, hint: expect.any(String) });
  });
});
