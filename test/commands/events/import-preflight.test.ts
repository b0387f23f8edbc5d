import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { arrived, wordsOf } from '../../support/inspected.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const TIME = '2026-01-31T12:00:00Z';
const lines = (count: number, record: (n: number) => object) =>
  Array.from({ length: count }, (_, n) => `${JSON.stringify(record(n))}\n`).join('');
const withNull = (n: number) => ({
  userId: `u${n}`,
  event: 'e',
  timestamp: TIME,
  properties: { n, plan: null },
});
const good = (n: number) => ({ userId: `u${n}`, event: 'e', timestamp: TIME, properties: { n } });

/** Imports a file on fresh local data. */
async function imported(name: string, text: string, ...flags: string[]) {
  const home = tempDir();
  writeFileSync(join(home, name), text);
  const run = await runSvc(['events', 'import', name, '-p', 'local', ...flags], { home, cwd: home });
  return { ...run, home };
}

test('an import whose sample is mostly rejected sends nothing, reports the sample, and exits 2', async () => {
  const text = lines(30, withNull) + lines(10, good);
  const { code, stdout, stderr, home } = await imported('a.ndjson', text, '--json');
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ read: 40, unsent: 40, accepted: 0, rejected: 0, requests: 0 });
  const error = JSON.parse(stderr.trim().split('\n').at(-1)!).error;
  expect(error).toMatchObject({ code: 'preflight', exitCode: 2 });
  expect(error.message).toMatch(
    /^30 of the first 40 records would be rejected \(properties\.plan .*; nothing was sent$/,
  );
  expect(stderr).toContain('properties.plan');
  expect(existsSync(join(home, 'a.ndjson.rejects.ndjson'))).toBe(false);
  expect((await arrived(home)).events).toEqual([]);
  expect(error.hint).toBe('svc events import a.ndjson -p local --json --nulls drop');
  const pasted = await runSvc(wordsOf(error.hint), { home, cwd: home });
  expect(JSON.parse(pasted.stdout)).toMatchObject({ read: 40, accepted: 40 });
});

test.each([
  ['with --no-preflight', 40, ['--no-preflight'], { read: 40, rejected: 30 }],
  ['with --max-errors', 40, ['--max-errors', '100'], { read: 40, rejected: 30 }],
  ['with fewer than 20 records', 16, [], { read: 16, rejected: 12 }],
] as const)('%s it starts, and rejects record by record', async (_, count, flags, result) => {
  const text = lines((count * 3) / 4, withNull) + lines(count / 4, good);
  const { code, stdout } = await imported('a.ndjson', text, '--json', ...flags);
  expect([code, JSON.parse(stdout)]).toMatchObject([7, result]);
});

test('half of the sample may be rejected', async () => {
  const { code, stdout } = await imported('a.ndjson', lines(20, withNull) + lines(20, good), '--json');
  expect([code, JSON.parse(stdout)]).toMatchObject([7, { accepted: 20, rejected: 20 }]);
});

test('the sample of a pipe is what arrived before the first flush, and nothing of it is lost', async () => {
  const service = await startTestService();
  const send = (text: string, ...flags: string[]) =>
    runSvc(['events', 'import', '-', '--json', ...flags], { env: service.env, stdin: text });
  const refused = await send(lines(30, withNull));
  expect(refused.code).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({ read: 30, unsent: 30, requests: 0 });
  const { stdout } = await send(`userId,event,timestamp,price\n${`u,e,${TIME},33.20\n`.repeat(3000)}`);
  expect(JSON.parse(stdout)).toMatchObject({ read: 3000, accepted: 3000, types: { price: 'number' } });
});

test('an import that was stopped leaves an earlier one as it was', async () => {
  const { home } = await imported('a.ndjson', lines(30, good), '--json');
  writeFileSync(join(home, 'a.ndjson'), lines(30, withNull));
  const args = ['events', 'import', 'a.ndjson', '-p', 'local', '--json'];
  expect((await runSvc([...args, '--resume'], { home, cwd: home })).code).toBe(2);
  writeFileSync(join(home, 'a.ndjson'), lines(30, good));
  const resumed = await runSvc([...args, '--resume'], { home, cwd: home });
  expect(JSON.parse(resumed.stdout)).toMatchObject({ read: 30, skipped: 30 });
});

test('a dry run reports every reject instead', async () => {
  const { code, stdout, home } = await imported('a.ndjson', lines(30, withNull), '--json', '--dry-run');
  expect([code, JSON.parse(stdout)]).toMatchObject([7, { rejected: 30 }]);
  const rejects = readFileSync(join(home, 'a.ndjson.dry-run.rejects.ndjson'), 'utf8');
  expect(rejects.trim().split('\n')).toHaveLength(30);
});

test.each([
  ['u1,view,2026-01-31 12:00\nu2,buy,2026-01-31 12:05\nu1,view,2026-01-31 12:10\n', 3],
  [`u1;9.99;${TIME}\nu2;1.50;${TIME}\n`, 2],
])('a file without a header does not lose its first row: %j', async (text, rows) => {
  const { code, stdout, stderr, home } = await imported('a.csv', text, '--json');
  expect([code, stdout]).toEqual([2, '']);
  const { message, hint } = JSON.parse(stderr).error;
  expect(message).toMatch(/^a\.csv seems to have no header: its first row is like the rows below it \(u1, /);
  // The note after the command is a comment.
  expect(hint).toContain(' --columns column1,column2,column3');
  const filled = hint
    .replace('userId=USER_ID_COLUMN', 'userId=column1')
    .replace('userId=USER_ID', 'userId=u')
    .replace('event=EVENT_NAME', 'event=e')
    .replace('event=EVENT_COLUMN', 'event=column2');
  const pasted = await runSvc(wordsOf(filled), { home, cwd: home });
  expect(JSON.parse(pasted.stdout)).toMatchObject({ read: rows, accepted: rows });
});
