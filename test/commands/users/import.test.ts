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

test('a cell of a list has entries separated by semicolons or commas', async () => {
  const service = await startTestService();
  const cwd = tempDir();
  writeFileSync(
    join(cwd, 'u.csv'),
    'userId,phones,emails,optOut,optIn\nu1,+44 1; +44 2,a@example.com,"sms,email/news",\nu2,,,,*/offers\n',
  );
  writeFileSync(join(cwd, 'u.ndjson'), '{"userId":"u3","stop":"sms; push","emails":["b@example.com"]}\n');
  const known = async (...argv: string[]) => {
    const run = await runSvc(['users', 'import', ...argv, '--json'], { env: service.env, cwd });
    expect(run.code, run.stderr).toBe(0);
    const users = run.stdout.trim().split('\n');
    return Promise.all(
      users.map(async (line) => {
        const answer = await service.fetch(`/v1/users/${JSON.parse(line).hashId}`);
        const { channels, optIn, optOut } = (await answer.json()) as Record<string, unknown[]>;
        const addresses = Object.fromEntries(
          channels!.map((each) => Object.values(each as object).slice(0, 2) as [string, number]),
        );
        return { addresses, optIn, optOut };
      }),
    );
  };
  expect(await known('u.csv')).toEqual([
    { addresses: { whatsapp: 2, sms: 2, email: 1, push: 0 }, optIn: [], optOut: ['sms', 'email/news'] },
    { addresses: { whatsapp: 0, sms: 0, email: 0, push: 0 }, optIn: ['*/offers'], optOut: [] },
  ]);
  expect(await known('u.ndjson', '--map', 'optOut=stop')).toEqual([
    { addresses: { whatsapp: 0, sms: 0, email: 1, push: 0 }, optIn: [], optOut: ['push', 'sms'] },
  ]);
});

const consentColumns = ['consent', 'Consent', 'marketing_consent', 'opt_in'];

test.each(consentColumns)('a column %s is refused with optIn and optOut instead of lost', async (name) => {
  const service = await startTestService();
  const cwd = tempDir();
  writeFileSync(join(cwd, 'u.csv'), `userId,name,${name}\nu1,Ann,yes\nu2,Bob,no\n`);
  const { env } = service;
  const refused = await runSvc(['users', 'import', 'u.csv', '--json'], { env, cwd });
  expect([refused.code, refused.stdout]).toEqual([2, '']);
  const { error } = JSON.parse(refused.stderr.trim().split('\n').at(-1)!);
  expect(error.message).toContain(`has a column ${name}, which would become a trait and not consent`);
  expect(error.hint).toMatch(/optIn and optOut/);
  expect(refused.stderr).not.toContain('--nested');
  // Somebody who says so may leave it out, or keep it as a trait.
  for (const more of [
    ['--drop', name],
    ['--extra-fields', 'properties', '--restart'],
  ]) {
    const run = await runSvc(['users', 'import', 'u.csv', ...more], { env, cwd });
    expect(run.code, run.stderr).toBe(0);
  }
});

test('a field consent of a record is rejected with optIn and optOut, and no flag that would lose it', async () => {
  const service = await startTestService();
  const cwd = tempDir();
  const lines = [{ consent: { email: true } }, { consent: 'yes' }, { consent: null }, { optIn: ['email'] }];
  const text = lines.map((line, i) => JSON.stringify({ userId: `u${i}`, ...line })).join('\n');
  writeFileSync(join(cwd, 'u.ndjson'), text);
  const run = await runSvc(['users', 'import', 'u.ndjson'], { env: service.env, cwd });
  expect(run.code).toBe(7);
  const rejects = readFileSync(join(cwd, 'u.ndjson.rejects.ndjson'), 'utf8').trim().split('\n');
  expect(rejects).toHaveLength(3);
  for (const reject of rejects) expect(JSON.parse(reject).reason).toMatch(/optIn.*optOut/);
  expect(run.stderr + rejects.join()).not.toMatch(/--nested|--extra-fields|--nulls/);
  // Also where so many records are refused that nothing is sent.
  const many = Array.from({ length: 30 }, (_, i) => JSON.stringify({ userId: `u${i}`, consent: { sms: 1 } }));
  writeFileSync(join(cwd, 'many.ndjson'), many.join('\n'));
  const unsent = await runSvc(['users', 'import', 'many.ndjson'], { env: service.env, cwd });
  expect(unsent.code).toBe(2);
  expect(unsent.stderr).toContain('optIn');
  expect(unsent.stderr).not.toContain('--nested');
});
