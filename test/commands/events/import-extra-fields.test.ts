import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const BASE = '"userId":"u","event":"e","timestamp":"2026-01-31T12:00:00Z"';

test.each<[string, string, string, string?]>([
  ['a flat value', '"plan":"pro"', 'properties'],
  ['an object', '"plan":{"name":"pro"}', 'properties --nested flatten'],
  ['null', '"plan":null', 'properties --nulls drop'],
  ['a list beside a flat value', '"tags":["a"],"plan":"pro"', 'properties --nested flatten'],
  ['a nested property', '"properties":{"plan":{"name":"pro"}}', '', '--nested flatten'],
  ['a null property', '"properties":{"plan":null}', '', '--nulls drop'],
  ['what is a property already', '"plan":"pro","properties":{"plan":"free"}', 'drop'],
])(
  'the suggested flag for extra fields accepts the record: %s',
  async (_, extra, value, words = `--extra-fields ${value}`) => {
    const home = tempDir();
    writeFileSync(join(home, 'a.ndjson'), `{${BASE},${extra}}\n`);
    const run = (line: string) => runSvc(line.replace(/^svc /, '').split(' '), { home, cwd: home });
    const refused = await run('svc events import a.ndjson -p local --json');
    expect(refused.code).toBe(7);
    const way = /svc events import .*$/.exec(JSON.parse(refused.stderr).error.hint)![0];
    expect(way).toContain(words);
    const taken = await run(way);
    expect([taken.code, JSON.parse(taken.stdout)]).toMatchObject([0, { accepted: 1, rejected: 0 }]);
  },
);

test('a run without accepted records does not count as an import and leaves nothing unfinished', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'a.ndjson'), 'bad\nbad\n');
  const run = (...more: string[]) =>
    runSvc(['events', 'import', 'a.ndjson', '-p', 'local', '--batch-size', '1', ...more], {
      home,
      cwd: home,
    });
  for (const more of [[], [], ['--fail-fast'], []]) {
    const { code, stderr } = await run(...more);
    expect(code).toBe(7);
    expect(stderr).not.toMatch(/was imported on|unfinished/);
  }
});

test('the output of users import is valid input for decide and notifications', async () => {
  const home = tempDir();
  writeFileSync(join(home, 'users.ndjson'), '{"userId":"user-1","phone":"+4915550100001"}\n');
  const svc = (words: string, stdin = '') =>
    runSvc([...words.split(' '), '--profile', 'local', '--json'], { home, cwd: home, stdin });
  const { stdout } = await svc('users import users.ndjson');
  expect(JSON.parse(stdout)).toMatchObject({ userId: 'user-1' });
  for (const command of [
    'decide --input - --surface home',
    'notifications trigger --input - --template welcome --channel push',
  ]) {
    const run = await svc(command, stdout);
    expect([run.code, run.stderr]).toEqual([0, '']);
    const { request, response } = JSON.parse(run.stdout);
    expect(request).not.toHaveProperty('userId');
    expect(response.requestId ?? response.decisionId).toBeTruthy();
  }
});
