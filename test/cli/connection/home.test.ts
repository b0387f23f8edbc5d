import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { builtSvc } from '../../support/process/built-svc.ts';
import { runProcess } from '../../support/process/run-process.ts';
import { ROOT } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const NONE = { SVC_CONFIG_DIR: undefined, SVC_DATA_DIR: undefined };

/** Arguments for node under which the system knows the account's home, or no account at all. */
function account(home: string | undefined): string[] {
  const file = join(tempDir(), 'account.cjs');
  const give =
    home === undefined ? "throw new Error('ENOENT: no such account')" : `return ${JSON.stringify(home)}`;
  // As Node does it: homedir takes HOME as it is, also an empty one.
  writeFileSync(
    file,
    `const os = require('node:os');
const home = () => { ${give}; };
os.homedir = () => process.env.HOME ?? home();
os.userInfo = () => ({ homedir: home() });`,
  );
  return ['--require', file];
}

it('the home folder is that of the account where HOME is empty, never the current folder', {
  timeout: 300_000,
}, async () => {
  const [home, cwd] = [tempDir(), tempDir()];
  const svc = [...account(home), ...(await builtSvc())];
  const add = ['profiles', 'add', 'p', '--no-check', '--workspace', 'w', '--base-url', 'https://x.example'];
  const env = { ...NONE, HOME: '', SVC_API_KEY: 'sk_test_1' };
  expect(await runProcess(svc, add, { home: cwd, env })).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(cwd)).toEqual([]);
  expect(readdirSync(join(home, '.config', 'svc'))).toContain('profiles.json');
});

it('without a home folder, commands that need none run and others suggest a variable', {
  timeout: 300_000,
}, async () => {
  const svc = [...account(undefined), ...(await builtSvc())];
  const cwd = tempDir();
  const run = (argv: string[], env: Record<string, string | undefined> = {}, stdin = '') =>
    runProcess(svc, argv, { home: cwd, env: { ...NONE, HOME: undefined, ...env }, stdin });
  const service = await startTestService({ limits: { decisions: 60 } });
  const decided = await run(['decide', '--hash-id', 'h', '--json'], service.env);
  expect(decided).toMatchObject({ code: 0, stderr: '' });
  const secret = { SVC_WEBHOOK_SECRET: 'a-secret-of-some-length' };
  expect(await run(['webhooks', 'sign', '-'], secret, '{}')).toMatchObject({ code: 0, stderr: '' });
  expect(await run(['completion', 'bash'])).toMatchObject({ code: 0, stderr: '' });
  const migrate = ['serve', 'migrate', '--database', join(tempDir(), 'own.db')];
  expect(await run(migrate)).toMatchObject({ code: 0, stderr: '' });
  for (const argv of [
    ['profiles', 'list'],
    ['decide', '--hash-id', 'a'.repeat(64), '--profile', 'local'],
  ])
    expect(await run(argv)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: there is no home folder to keep the files of svc in\n  next: export HOME=/a/folder/of/yours, or SVC_CONFIG_DIR and SVC_DATA_DIR\n',
    });
  // The loader of the packed program looks for its cache before anything else.
  const loader = join(ROOT, 'bin', 'code-cache.js');
  writeFileSync(join(cwd, 'one.cjs'), 'exports.say = () => process.stdout.write("said");');
  const load = `require(${JSON.stringify(loader)}).loadCached(${JSON.stringify(join(cwd, 'one.cjs'))}).say()`;
  const loaded = await runProcess([...account(undefined), '-e', load], [], {
    home: cwd,
    env: { HOME: undefined },
  });
  expect(loaded).toEqual({ code: 0, stdout: 'said', stderr: '' });
  expect(readdirSync(cwd)).toEqual(['one.cjs']);
});
