import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';

test.each([
  [['plugins', 'link', 'nodir'], 'error: nodir is no plugin: it has no package.json'],
  [['plugins', 'install', './missing.tgz'], 'error: no such file: ./missing.tgz'],
])('svc %j is refused before anything is fetched', async (argv, message) => {
  const run = await runSvc(argv);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain(message);
  expect(run.stderr).not.toContain('fetching');
});

test('a value that the parser of a flag refuses is reported in one sentence', async () => {
  const argv = ['notifications', 'list', '--since', 'yesterday', '--profile', 'local'];
  expect((await runSvc(argv)).stderr).toMatch(
    /^error: --since: yesterday is not a time\n {2}next: write a time/,
  );
  const { error } = JSON.parse((await runSvc([...argv, '--json'])).stderr);
  expect(error.message).toBe('--since: yesterday is not a time');
});
