import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ConnectionFlags, resolveSettings } from '../../../src/cli/connection/settings.ts';
import { describeOrigin } from '../../../src/cli/invocation/origin.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const SETTINGS = {
  baseUrl: { flag: 'base-url', variable: 'SVC_BASE_URL', value: (of: string) => `https://${of}.example` },
  workspace: { flag: 'workspace', variable: 'SVC_WORKSPACE', value: (of: string) => `ws_${of}` },
  region: { flag: 'region', variable: 'SVC_REGION', value: (of: string) => of },
  apiKey: { flag: undefined, variable: 'SVC_API_KEY', value: (of: string) => `sk_${of}` },
} as const;
type Setting = keyof typeof SETTINGS;

/** A home with the profile `prod`, which is in use, and `test`, both with every setting. */
async function homeWithProfiles(use?: string): Promise<Record<string, string>> {
  const home = tempDir();
  for (const name of ['prod', 'test'])
    await runSvc(
      ['profiles', 'add', name, '--workspace', `ws_${name}`, '--region', name].concat([
        '--base-url',
        `https://${name}.example`,
        '--api-key-stdin',
        '--no-check',
      ]),
      { home, stdin: `sk_${name}` },
    );
  if (use) await runSvc(['profiles', 'use', use], { home });
  return { HOME: home, SVC_CONFIG_DIR: join(home, 'config') };
}

const subsets = [0, 1, 2, 3].map((bits) => ({ flag: (bits & 1) > 0, environment: (bits & 2) > 0 }));
const cases = (Object.keys(SETTINGS) as Setting[]).flatMap((setting) =>
  subsets
    .filter(({ flag }) => !flag || SETTINGS[setting].flag !== undefined)
    .map((given) => ({ setting, ...given })),
);

describe('each setting comes from the first source that has it, with its origin', () => {
  it.each(cases)('$setting: flag $flag, environment $environment, profile', async (one) => {
    const env = await homeWithProfiles();
    const { flag, variable, value } = SETTINGS[one.setting];
    const settings = resolveSettings(one.flag ? { [flag!]: value('flag') } : {}, {
      env: { ...env, ...(one.environment ? { [variable]: value('environment') } : {}) },
    });
    const from = one.flag ? 'flag' : one.environment ? 'environment' : 'prod';
    const words = { flag: `--${flag}`, environment: variable, prod: 'profile prod' }[from]!;
    if (settings.kind !== 'remote') throw new Error('not remote');
    expect(settings[one.setting]).toBe(value(from));
    for (const setting of Object.keys(SETTINGS) as Setting[])
      expect(describeOrigin(settings.origins[setting]!)).toBe(
        setting === one.setting ? words : 'profile prod',
      );
  });
});

const REMOTE = { SVC_BASE_URL: 'https://env.example', SVC_WORKSPACE: 'ws_env', SVC_API_KEY: 'sk_env' };
const LOCAL_BY = (by: string) => ({ kind: 'local', by });
const AT = (baseUrl: string, profile: string | undefined) => ({ kind: 'remote', baseUrl, profile });

describe('the profile: --profile, SVC_PROFILE, the one in use, none', () => {
  it.each<[string, ConnectionFlags, Record<string, string>, string | undefined, object]>([
    ['the one in use', {}, {}, 'prod', AT('https://prod.example', 'prod')],
    ['SVC_PROFILE before it', {}, { SVC_PROFILE: 'test' }, 'prod', AT('https://test.example', 'test')],
    [
      '--profile before both',
      { profile: 'prod' },
      { SVC_PROFILE: 'test' },
      'local',
      AT('https://prod.example', 'prod'),
    ],
    ['an empty variable is none', {}, { SVC_PROFILE: '' }, 'prod', AT('https://prod.example', 'prod')],
    ['local in use', {}, {}, 'local', LOCAL_BY('svc profiles use')],
    ['local by SVC_PROFILE', {}, { SVC_PROFILE: 'local' }, 'prod', LOCAL_BY('SVC_PROFILE')],
    ['local by --profile', { profile: 'local' }, { SVC_PROFILE: 'test' }, 'prod', LOCAL_BY('--profile')],
    ['the environment suffices', {}, REMOTE, 'prod', AT('https://env.example', undefined)],
    [
      'the environment before SVC_PROFILE',
      {},
      { ...REMOTE, SVC_PROFILE: 'test' },
      'prod',
      AT('https://env.example', 'test'),
    ],
    [
      'the environment before SVC_PROFILE=local',
      {},
      { ...REMOTE, SVC_PROFILE: 'local' },
      'prod',
      AT('https://env.example', undefined),
    ],
    ['the environment before local in use', {}, REMOTE, 'local', AT('https://env.example', undefined)],
    ['--profile local before the environment', { profile: 'local' }, REMOTE, 'prod', LOCAL_BY('--profile')],
    [
      '--base-url before --profile local',
      { profile: 'local', 'base-url': 'https://flag.example' },
      REMOTE,
      'prod',
      AT('https://flag.example', undefined),
    ],
  ])('%s', async (_, flags, env, use, expected) => {
    expect(resolveSettings(flags, { env: { ...(await homeWithProfiles(use)), ...env } })).toMatchObject(
      expected,
    );
  });

  it('no profile: exit 4 with a hint that repeats the command', async () => {
    const run = await runSvc(['decide', '--hash-id', "it's"]);
    expect(run.code).toBe(4);
    expect(run.stderr).toContain(`svc decide --hash-id 'it'\\''s' --profile local\n`);
  });
});

describe('a forgotten exported variable', () => {
  it('is reported by doctor, with the command that unsets it', async () => {
    const service = await startTestService();
    const env = { ...service.env, SVC_PROFILE: 'local' };
    const run = await runSvc(['doctor', '--json'], { env });
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout).checks[0]).toMatchObject({
      status: 'warn',
      seen: `workspace ${service.workspace} (SVC_WORKSPACE), region not set, ${service.url} (SVC_BASE_URL), key (SVC_API_KEY); environment variables override profile local (SVC_PROFILE)`,
      next: 'to use only profile local: unset SVC_BASE_URL SVC_WORKSPACE SVC_API_KEY',
    });
    const local = await runSvc(['doctor', '--json'], { env: { SVC_PROFILE: 'local' } });
    expect(JSON.parse(local.stdout).checks[0].seen).toMatch(/^local \(SVC_PROFILE\): /);
  });

  it('is reported with --profile, and by the profile commands', async () => {
    const service = await startTestService();
    const env = await homeWithProfiles();
    const typed = await runSvc(['decide', '--hash-id', 'h', '-p', 'test'], {
      env: { ...env, ...service.env },
    });
    expect(typed.code).toBe(0);
    expect(typed.stderr).toBe(
      'exported variables override profile test: SVC_BASE_URL, SVC_WORKSPACE, SVC_API_KEY\n',
    );
    const shown = await runSvc(['profiles', 'show'], {
      env: { ...env, SVC_PROFILE: 'test', SVC_API_KEY: 'sk' },
    });
    expect(shown.stdout).toContain('name\ttest\n');
    expect(shown.stderr).toContain('SVC_PROFILE=test overrides the profile in use');
    expect(shown.stderr).toContain('exported variables override every profile: SVC_API_KEY;');
    const quiet = await runSvc(['profiles', 'list', '-q'], { env: { ...env, SVC_PROFILE: 'test' } });
    expect(quiet.stderr).toBe('');
  });

  it.each<[Record<string, string>, string[], string]>([
    [{ SVC_BASE_URL: 'http://env.example/api/' }, [], 'export SVC_BASE_URL=https://env.example/api'],
    [{ SVC_BASE_URL: 'nonsense' }, [], 'export SVC_BASE_URL=https://eu.example.com'],
    [{}, ['--base-url', 'http://flag.example'], '--base-url https://flag.example'],
    [{ SVC_BASE_URL: 'https://u:secret@env.example' }, [], 'export SVC_BASE_URL=https://env.example/'],
  ])('an invalid base URL: %j %j', async (env, flags, next) => {
    const run = await runSvc(['decide', '--hash-id', 'h', ...flags], { env: { ...REMOTE, ...env } });
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`: ${next}\n`);
    expect(run.stderr).not.toContain('secret');
  });

  it('a valid key at a wrong address: the hint unsets variables before it replaces the key', async () => {
    const [us, other] = [await startTestService({ region: 'us' }), await startTestService({ region: 'eu' })];
    const home = tempDir();
    const add = ['profiles', 'add', 'us', '--workspace', us.workspace, '--region', 'us'];
    await runSvc([...add, '--base-url', us.url], { home, env: { SVC_API_KEY: us.apiKey } });
    const run = await runSvc(['decide', '--hash-id', 'h', '--json'], {
      home,
      env: { SVC_BASE_URL: other.url },
    });
    expect(run.code).toBe(4);
    const { hint } = JSON.parse(run.stderr.trim().split('\n').at(-1)!).error;
    expect(hint.split(' # ')).toEqual([
      'to use what profile us has, and not what is exported: unset SVC_BASE_URL',
      'the answer came from region eu, not us; if the address is wrong (svc doctor): export SVC_BASE_URL=URL',
      'the key is from profile us; give another: svc profiles add us',
    ]);
    await runSvc(['profiles', 'add', 'us', '--base-url', other.url], { home });
    expect((await runSvc(['decide', '--hash-id', 'h'], { home })).stderr).toMatch(
      /next: the answer came from region eu, not us; .*: svc profiles add us --base-url URL\n/,
    );
  });

  it.each([
    [
      'a key of the environment',
      { SVC_API_KEY: 'sk_wrong' },
      [],
      'the key is from SVC_API_KEY; give another: read -rs SVC_API_KEY && export SVC_API_KEY',
    ],
    [
      'a key of a profile',
      {},
      ['-p', 'test'],
      'to use what profile test has, and not what is exported: unset SVC_BASE_URL SVC_WORKSPACE\n' +
        '        the key is from profile test; give another: svc profiles add test\n',
    ],
    [
      'a workspace of a flag',
      {},
      ['--workspace', 'ws_x'],
      'workspace ws_x is from --workspace, the key from SVC_API_KEY; name the workspace of that key: svc ',
    ],
    [
      'an address of a flag',
      {},
      ['--base-url=http://127.0.0.1:1'],
      'the address is from --base-url; diagnose it: svc doctor --base-url=http://127.0.0.1:1',
    ],
  ])('%s is reported with its origin where it does not match', async (_, env, flags, next) => {
    const service = await startTestService();
    const home = await homeWithProfiles();
    const other =
      flags[0] === '-p' ? { SVC_BASE_URL: service.url, SVC_WORKSPACE: service.workspace } : service.env;
    const run = await runSvc(['decide', '--hash-id', 'h', '--max-retries', '0', ...flags], {
      env: { ...home, ...other, ...env },
    });
    expect(run.stderr).toContain(`next: ${next}`);
  });
});
