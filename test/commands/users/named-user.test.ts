import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cannedService } from '../../support/peers/canned-service.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

/** Every command that takes --hash-id, without the user. */
const COMMANDS = [
  ['decide'],
  ['messages', 'list'],
  ['messages', 'list', '--peek'],
  ['notify', '-t', 'welcome', '-c', 'push'],
  ['users', 'get'],
  ['users', 'timeline'],
  ['users', 'token'],
  ['decisions', 'list'],
  ['notifications', 'list'],
  // The last: the user is not known afterwards.
  ['users', 'delete', '--yes'],
];
/** Of these, those that need a user. */
const NEED_USER = COMMANDS.filter(([, verb]) => verb === undefined || verb !== 'list').concat([
  ['messages', 'list'],
]);

/** Runs commands on the data of `local` in one home, with the user u1 and its hashId. */
async function localWithUser() {
  const home = tempDir();
  const run = (argv: readonly string[], stdin?: string) =>
    runSvc([...argv, '--profile', 'local'], { home, ...(stdin === undefined ? {} : { stdin }) });
  const imported = await run(['users', 'import', '-', '--json', '--quiet'], '{"userId":"u1"}\n');
  expect(imported.code, imported.stderr).toBe(0);
  const { hashId } = JSON.parse(imported.stdout) as { hashId: string };
  return { home, run, hashId };
}

describe('on local', () => {
  it.each(COMMANDS.map((argv) => [argv]))(
    '%j refuses what is not a hashId, before it starts',
    async (argv) => {
      const home = tempDir();
      for (const hashId of ['alice', 'A'.repeat(64), 'a'.repeat(63)]) {
        const run = await runSvc([...argv, '--hash-id', hashId, '--profile', 'local'], { home });
        expect([run.code, run.stdout]).toEqual([2, '']);
        expect(run.stderr).toContain(
          `${hashId} is not a hashId of local, which has 64 lower-case hex digits`,
        );
        expect(run.stderr).toContain(`svc users get --user-id ${hashId} --profile local`);
        expect(run.stderr.includes(`in lower case: ${'a'.repeat(64)}\n`)).toBe(hashId === 'A'.repeat(64));
      }
      expect(existsSync(join(home, 'data', 'service.db'))).toBe(false);
    },
  );

  it('the command of the hint works, and --user-id and --hash-id name the same user', async () => {
    const { run, hashId } = await localWithUser();
    const refused = await run(['decide', '--hash-id', 'u1', '--surface', 'home']);
    expect(refused.stderr).toContain('svc decide --surface home --profile local --user-id u1\n');
    const found = await run(['users', 'get', '--user-id', 'u1', '--json']);
    expect([found.code, JSON.parse(found.stdout).hashId]).toEqual([0, hashId]);
    for (const user of [
      ['--user-id', 'u1'],
      ['--hash-id', hashId],
    ]) {
      const decided = await run(['decide', ...user, '--surface', 'home']);
      expect([decided.code, decided.stderr]).toEqual([0, '']);
    }
    const logged = await run(['decisions', 'list', '--user-id', 'u1', '--json']);
    expect(JSON.parse(logged.stdout).decisions.map((one: { hashId: string }) => one.hashId)).toEqual([
      hashId,
      hashId,
    ]);
    for (const argv of COMMANDS) {
      const { code, stderr } = await run([...argv, '--user-id', 'u1']);
      expect([argv, code, stderr]).toEqual([argv, 0, expect.not.stringContaining('no user on local')]);
    }
  });

  it('an unknown user is named in a notice', async () => {
    const { run } = await localWithUser();
    const unknown = 'f'.repeat(64);
    const byHash = await run(['decide', '--hash-id', unknown]);
    expect([byHash.code, byHash.stderr]).toEqual([
      0,
      expect.stringContaining(
        `no user on local has the hashId ${unknown}; \`svc users import\` creates users`,
      ),
    ]);
    const byId = await run(['messages', 'list', '--user-id', 'nobody']);
    expect([byId.code, byId.stderr]).toEqual([0, expect.stringContaining('has the userId nobody')]);
    expect((await run(['decide', '--hash-id', unknown, '--quiet'])).stderr).toBe('');
  });

  it.each(NEED_USER.map((argv) => [argv]))('%j takes exactly one of the two', async (argv) => {
    const home = tempDir();
    const run = (...more: string[]) => runSvc([...argv, ...more, '--profile', 'local'], { home });
    expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('no user is given') });
    expect(await run('--user-id', 'u', '--hash-id', 'a'.repeat(64))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--user-id|--hash-id/),
    });
  });

  it.each([[['decide']], [['notify', '-t', 'welcome', '-c', 'push']]])(
    '%j --input has an error for a line that is not a hashId',
    async (argv) => {
      const { run, hashId } = await localWithUser();
      const lines = [hashId, 'alice', '{"hashId":"bob"}'];
      const { code, stdout } = await run([...argv, '--input', '-'], `${lines.join('\n')}\n`);
      const out = stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect([code, out.map(({ error }) => error?.code ?? null)]).toEqual([7, [null, 'usage', 'usage']]);
      expect(out[1].error.message).toBe('alice is not a hashId of local, which has 64 lower-case hex digits');
      expect(out[1].error.hint).toContain('svc users get --user-id alice --profile local');
    },
  );

  it('a token is made from --user-id on the store that --database names', async () => {
    const { home } = await localWithUser();
    const database = join(home, 'data', 'service.db');
    const token = (...user: string[]) =>
      runSvc(['users', 'token', ...user, '--database', database, '--json'], { home });
    expect(await token('--user-id', 'u1')).toMatchObject({ code: 0, stderr: '' });
    expect(await token('--user-id', 'u2')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`no user on ${database} has the userId u2`),
    });
    const refused = await token('--hash-id', 'u1');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`u1 is not a hashId of ${database},`);
    expect(refused.stderr).not.toContain('--profile local');
  });
});

describe('elsewhere', () => {
  it.each(COMMANDS.map((argv) => [argv]))('%j refuses --user-id, and sends nothing', async (argv) => {
    const { env, requests } = await cannedService(() => ({ body: '{}' }));
    const { code, stderr } = await runSvc([...argv, '--user-id', 'alice'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--user-id works on `local` only')]);
    expect(stderr).toMatch(/--hash-id H$/m);
    expect(requests).toEqual([]);
  });

  it('a hashId is opaque', async () => {
    const { env } = await startTestService();
    const { code, stderr } = await runSvc(['decide', '--hash-id', 'alice'], { env });
    expect([code, stderr]).toEqual([0, '']);
  });
});
