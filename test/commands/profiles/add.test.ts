import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { cannedService } from '../../support/peers/canned-service.ts';
import { runSvc, startSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

/** Runs a command on a terminal, and types each answer when its prompt appears. */
async function onTerminal(argv: string[], home: string, answers: [question: RegExp, typed: string][]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const running = startSvc(argv, { home, stdin, columns: 100 });
  for (const [question, typed] of answers) {
    await running.waitFor(question, 'stderr');
    stdin.write(typed);
  }
  return running.done;
}

const profilesIn = (home: string) =>
  JSON.parse(readFileSync(join(home, 'config', 'profiles.json'), 'utf8')).profiles;

describe('svc profiles add on a terminal', () => {
  it('prompts for all missing values, and again for invalid ones', async () => {
    const service = await startTestService();
    const home = tempDir();
    const run = await onTerminal(['profiles', 'add'], home, [
      [/name of the profile: $/, 'local\n'],
      [/always exists.*\n.*name of the profile: $/, 'prod\n'],
      [/base URL: $/, 'example\n'],
      [/is not a URL\n.*base URL: $/, `${service.url}\n`],
      [/workspace: $/, `${service.workspace}\n`],
      [/region \(Enter for none\): $/, '\n'],
      [/API key \(not shown\): $/, 'two words\r'],
      [/a header cannot carry\n.*API key \(not shown\): $/, `${service.apiKey}\r`],
    ]);
    expect(run).toMatchObject({ code: 0, stdout: 'added profile prod, which is in use\n' });
    expect(run.stderr).toContain('the service accepts the key');
    expect(run.stderr).not.toContain(service.apiKey);
    expect(profilesIn(home)).toEqual({
      prod: { workspace: service.workspace, baseUrl: service.url, apiKey: service.apiKey },
    });
  });

  it('prompts only for values that no flag gives', async () => {
    const home = tempDir();
    const given = ['profiles', 'add', 'eu', '--workspace', 'w', '--region', 'eu', '--no-check'];
    const run = await onTerminal(given, home, [
      [/base URL: $/, 'https://x.example\n'],
      [/API key \(not shown\): $/, 'sk_test_1\r'],
    ]);
    expect(run.code).toBe(0);
    expect(profilesIn(home).eu).toEqual({
      workspace: 'w',
      region: 'eu',
      baseUrl: 'https://x.example',
      apiKey: 'sk_test_1',
    });
  });

  it('saves nothing after Ctrl-C or Ctrl-D', async () => {
    const home = tempDir();
    const given = ['profiles', 'add', 'p', '--workspace', 'w', '--base-url', 'https://x.example'];
    const interrupted = await onTerminal(given, home, [[/region|API key/, '\x03']]);
    expect(interrupted.code).toBe(130);
    const asked = await onTerminal(['profiles', 'add'], home, [[/name of the profile/, '\x03']]);
    expect(asked.stderr).toMatch(/name of the profile: [^\n]*\n[^\n]*error: /);
    const ended = await onTerminal(given, home, [[/region|API key/, '\x04']]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect((await runSvc(['profiles', 'list'], { home })).stdout).not.toMatch(/^p\t/m);
  });
});

describe('svc profiles add without a terminal', () => {
  it.each<[string[], string]>([
    [['profiles', 'add'], 'NAME is missing'],
    [['profiles', 'add', 'p'], '--workspace and --base-url are missing'],
    [['profiles', 'add', 'p', '--workspace', 'w'], '--base-url is missing'],
    [['profiles', 'add', 'p', '--base-url', 'https://x.example'], '--workspace is missing'],
  ])('names the flags to give: svc %j', async (argv, missing) => {
    for (const options of [{}, { columns: 80, env: { NO_COLOR: '1' } }]) {
      const more = 'columns' in options ? ['--no-input'] : [];
      const run = await runSvc([...argv, ...more], options);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toContain(`error: ${missing}`);
      const name = argv[2] ?? 'NAME';
      const workspace = argv.includes('--workspace') ? 'w' : 'W';
      const url = argv.includes('--base-url') ? 'https://x.example' : 'https://HOST';
      expect(run.stderr).toContain(
        `next: svc profiles add ${name} --workspace ${workspace} --region R --base-url ${url} --api-key-stdin < key.txt\n`,
      );
    }
  });
});

describe('svc profiles add checks the key', () => {
  const add = (env: Record<string, string>, home: string, ...more: string[]) =>
    runSvc(
      ['profiles', 'add', 'p', '--workspace', env.SVC_WORKSPACE!, '--base-url', env.SVC_BASE_URL!, ...more],
      { home, env: { SVC_API_KEY: env.SVC_API_KEY } },
    );

  it.each<[string, Parameters<typeof cannedService>[0], RegExp]>([
    [
      'refused',
      () => ({ status: 401, headers: { 'x-service-request-id': 'r' } }),
      /^warning: key: .*\(?HTTP 401|^warning: key: the service responded with status 401/,
    ],
    ['at a web server', () => ({ status: 404, body: 'nginx' }), /^warning: service: .*cannot be recognised/],
    [
      'in another region',
      () => ({ headers: { 'x-service-region': 'us' }, body: '{"webhooks":[]}' }),
      /^warning: region: answered from us/m,
    ],
    [
      'where there is no such read',
      () => ({ status: 404, headers: { 'x-service-request-id': 'r' } }),
      /^key not checked: this service has no GET/,
    ],
  ])('and keeps the profile: %s', async (_, answer, said) => {
    const { env, requests } = await cannedService(answer);
    const home = tempDir();
    const run = await add(env, home, '--region', 'eu');
    expect(run).toMatchObject({ code: 0, stdout: 'added profile p, which is in use\n' });
    expect(run.stderr).toMatch(said);
    if (run.stderr.includes('warning')) expect(run.stderr).toContain('svc doctor --profile p');
    expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/webhooks']);
    expect(profilesIn(home)).toHaveProperty('p');
  });

  it('and says where nothing listens', async () => {
    const home = tempDir();
    const run = await add(
      { SVC_BASE_URL: 'http://127.0.0.1:1', SVC_WORKSPACE: 'w', SVC_API_KEY: 'sk_test_1' },
      home,
    );
    expect(run.code).toBe(0);
    expect(run.stderr).toMatch(
      /^warning: key: http:\/\/127\.0\.0\.1:1 cannot be reached.*svc doctor --profile p\n$/,
    );
  });

  it('but not under --no-check', async () => {
    const { env, requests } = await cannedService(() => ({}));
    expect(await add(env, tempDir(), '--no-check')).toMatchObject({ code: 0, stderr: '' });
    expect(requests).toEqual([]);
  });
});
