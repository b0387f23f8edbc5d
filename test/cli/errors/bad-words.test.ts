import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

test.each([
  [['plugins', 'link', 'missing'], 'error: missing is no plugin: it has no package.json'],
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

test('a catalog with errors is reported on one line', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'bad.json'), '{"contents":[{"contentId":1}]}');
  const argv = ['notifications', 'preview', '--catalog', join(home, 'bad.json'), '--template', 'x'];
  const { stderr, code } = await runSvc([...argv, '--channel', 'sms', '--json'], { home });
  expect(code).toBe(2);
  expect(JSON.parse(stderr).error.message).toMatch(
    /is invalid: contents\[0\]\.contentId must be a string; contents/,
  );
});

test('one rejected record is counted in the singular', async () => {
  const home = tempDir();
  const run = await runSvc(['events', 'import', '-', '--profile', 'local', '--no-preflight'], {
    home,
    stdin: '{"a":1}\n',
  });
  expect(run.stderr).toContain('1 of 1 record was rejected');
});
