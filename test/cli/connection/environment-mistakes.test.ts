import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { builtSvc } from '../../support/process/built-svc.ts';
import { runProcess } from '../../support/process/run-process.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const local = ['decide', '--hash-id', 'a'.repeat(64), '--profile', 'local', '--quiet'];
const add = ['profiles', 'add', 'p', '--workspace', 'w', '--base-url', 'http://127.0.0.1:1', '--no-check'];
const remote = { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_WORKSPACE: 'w', SVC_API_KEY: 'sk_test_1' };
const decide = ['decide', '--hash-id', 'h', '--max-retries', '0'];

/** A home with a file, a link that leads nowhere and a loop of links, by which a variable can be wrong. */
function home(): string {
  const folder = tempDir();
  writeFileSync(join(folder, 'file'), 'mine');
  symlinkSync(join(folder, 'gone'), join(folder, 'dangling'));
  symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
  return folder;
}

describe('an invalid variable is reported with the command that sets it', () => {
  it.each<[string, string, string[]]>([
    ['SVC_DATA_DIR', 'file', local],
    ['SVC_DATA_DIR', 'file/below', local],
    ['SVC_DATA_DIR', 'loop', local],
    ['SVC_DATA_DIR', 'dangling', local],
    ['SVC_DATA_DIR', 'file', ['events', 'import', '-', '--profile', 'local']],
    ['SVC_DATA_DIR', 'file', ['limits', '--profile', 'local']],
    ['SVC_DATA_DIR', 'file', ['serve', '--port', '0']],
    ['SVC_DATA_DIR', 'file', ['data', 'export']],
    ['SVC_DATA_DIR', 'file', ['data', 'reset', '--profile', 'local', '--yes']],
    ['SVC_CONFIG_DIR', 'file', ['profiles', 'list']],
    ['SVC_CONFIG_DIR', 'file', ['profiles', 'use', 'local']],
    ['SVC_CONFIG_DIR', 'file/below', add],
    ['SVC_CONFIG_DIR', 'dangling', add],
    ['SVC_CONFIG_DIR', 'file', decide],
    [
      'SVC_CONFIG_DIR',
      'file',
      ['webhooks', 'create', '--url', 'http://127.0.0.1:1/x', '--event', 'campaign.clicked', '-p', 'local'],
    ],
  ])('%s naming %s: svc %j', async (variable, name, argv) => {
    const folder = home();
    const env = { [variable]: join(folder, name), SVC_API_KEY: argv === add ? 'sk_test_1' : undefined };
    const run = await runSvc(argv, { home: folder, env, stdin: '' });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(`export ${variable}="$HOME/svc-files"`);
    expect(run.stderr).not.toContain('report');
  });

  it('a folder that cannot be created fails at once', {
    timeout: 300_000,
  }, async () => {
    const svc = await builtSvc();
    const folder = tempDir();
    const run = await runProcess(svc, local, { home: folder, env: { SVC_DATA_DIR: '/proc/svc' } });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(
      /the folder \/proc\/svc cannot be created: ENOENT\n {2}next: .*export SVC_DATA_DIR=/,
    );
  });

  it.each<[string, string[]]>([
    ['SVC_DATA_DIR', local],
    ['SVC_CONFIG_DIR', ['profiles', 'use', 'local']],
  ])(
    '%s in which no file can be created: nothing is to be removed, and where to look is said',
    async (name, argv) => {
      const run = await runSvc(argv, { env: { [name]: '/sys/kernel' } });
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).not.toMatch(/reset|rm -r|Connection|report/);
      expect(run.stderr).toContain(`ls -ld /sys/kernel`);
      expect(run.stderr).toContain(`export ${name}="$HOME/svc-files"`);
    },
  );

  it('a folder in place of the data: no hint suggests to delete it', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'data', 'service.db'), { recursive: true });
    const run = await runSvc(local, { home: folder });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).not.toContain('reset');
  });

  it.each([['demo'], ['serve', 'exec', '--', 'true']])(
    'TMPDIR that is not there: svc %s',
    async (...argv) => {
      const svc = await builtSvc();
      const run = await runProcess(svc, argv, { home: tempDir(), env: { TMPDIR: '/nonexistent' } });
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toMatch(
        /^error: a temporary folder cannot be created in \/nonexistent: ENOENT\n {2}next: .*export TMPDIR=/,
      );
    },
  );

  it.each<[string, string]>([
    ['a line end in the middle', 'sk_a\nb'],
    ['a line end of Windows', 'sk_a\r'],
    ['a space', 'sk_a b'],
    ['a control character', 'sk_a\u0001'],
    ['typographic quotes', '“sk_a”'],
    ['other letters', 'ключ'],
    ['letters of Latin-1', 'clé'],
  ])('SVC_API_KEY with %s', async (_, SVC_API_KEY) => {
    for (const argv of [decide, ['events', 'tail'], ['api', 'GET', '/v1/webhooks']]) {
      const run = await runSvc(argv, { env: { ...remote, SVC_API_KEY } });
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toMatch(/^error: the API key of SVC_API_KEY .*\n {2}next: .*read -rs SVC_API_KEY/);
      expect(run.stderr).not.toContain(SVC_API_KEY);
    }
  });

  it.each(['w\nx', 'wš', 'w x'])('SVC_WORKSPACE %j', async (SVC_WORKSPACE) => {
    const run = await runSvc(decide, { env: { ...remote, SVC_WORKSPACE } });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/^error: the workspace .*\n {2}next: .*export SVC_WORKSPACE=WORKSPACE/);
    const added = await runSvc(['profiles', 'add', 'p', '--workspace', SVC_WORKSPACE, ...add.slice(5)], {
      env: { SVC_API_KEY: 'sk_test_1' },
    });
    expect(added).toMatchObject({ code: 2, stdout: '' });
  });

  it.each(['http://127.0.0.1:1/?q=1', 'http://127.0.0.1:1/#top'])('SVC_BASE_URL %s', async (SVC_BASE_URL) => {
    const run = await runSvc(decide, { env: { ...remote, SVC_BASE_URL } });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(/\n {2}next: leave it out: export SVC_BASE_URL=http:\/\/127\.0\.0\.1:1\n$/);
  });

  it('an invalid or different SVC_DATA_KEY: no hint suggests to delete the data', async () => {
    const folder = tempDir();
    expect((await runSvc(local, { home: folder })).code).toBe(0);
    for (const SVC_DATA_KEY of ['xx', 'ab'.repeat(32)]) {
      const run = await runSvc(local, { home: folder, env: { SVC_DATA_KEY } });
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain('unset SVC_DATA_KEY');
      expect(run.stderr).not.toContain('reset');
    }
  });

  it('unusual values work: a folder below a missing one, any seed, a dumb terminal', async () => {
    const folder = tempDir();
    mkdirSync(join(folder, 'empty'));
    const env = {
      SVC_DATA_DIR: join(folder, 'empty', 'a', 'b'),
      SVC_CONFIG_DIR: join(folder, 'empty', 'c', 'd'),
      SVC_SEED: 'é \n',
      TERM: 'dumb',
      COLUMNS: '-5',
    };
    expect(await runSvc(local, { home: folder, env })).toMatchObject({ code: 0, stderr: '' });
    expect(await runSvc(add, { home: folder, env: { ...env, SVC_API_KEY: 'sk_test_1' } })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });
});
