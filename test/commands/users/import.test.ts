import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

test('loads users from CSV, prints userId and hashId of each, rejects what is bad', async () => {
  const service = await startTestService();
  const cwd = tempDir();
  writeFileSync(
    join(cwd, 'u.csv'),
    'userId,name,locale,plan,age\nu1,Ann,en-GB,pro,41\nu2,Bob,not a locale,,\nu3,,,,007\n',
  );

  const run = await runSvc(['users', 'import', 'u.csv', '--json'], { env: service.env, cwd });

  expect(run.code).toBe(7);
  const printed = run.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(printed).toEqual([
    { userId: 'u1', hashId: expect.stringMatching(/^[0-9a-f]{64}$/) },
    { userId: 'u3', hashId: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  const [result] = run.stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(result).toMatchObject({ read: 3, accepted: 2, rejected: 1 });
  expect(JSON.parse(readFileSync(join(cwd, 'u.csv.rejects.ndjson'), 'utf8'))).toMatchObject({
    line: 3,
    field: 'locale',
    raw: 'u2,Bob,not a locale,,',
  });
});

test('the traits of a user take what is no field; as text it is a tab-separated table', async () => {
  const service = await startTestService();
  const stdin = '{"userId":"u1","traits":{"plan":"pro","n":1.50}}\n';
  const run = await runSvc(['users', 'import', '-'], { env: service.env, stdin });
  expect(run.code).toBe(0);
  expect(run.stdout).toMatch(/^u1\t[0-9a-f]{64}\n$/);
});
