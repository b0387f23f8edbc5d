import { describe, expect, it } from 'vitest';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const send = ['events', 'send', '--user-id', 'u', '--event', 'e'];

describe('the settings of a call', () => {
  it('are missing without profile and environment: exit 4 with both alternatives', async () => {
    const run = await runSvc(send);
    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(run.stderr).toContain('svc profiles add');
    expect(run.stderr).toContain('--profile local');
  });

  it.each([
    [{ SVC_BASE_URL: 'http://127.0.0.1:1', SVC_API_KEY: 'sk_1' }, 'SVC_WORKSPACE'],
    [{ SVC_WORKSPACE: 'ws', SVC_API_KEY: 'sk_1' }, 'SVC_BASE_URL'],
  ])('an incomplete environment: exit 4 with what is missing', async (env, missing) => {
    const run = await runSvc(send, { env });
    expect(run).toMatchObject({ code: 4, stdout: '' });
    expect(run.stderr).toContain(`set ${missing}`);
  });

  it('a base URL without a key, on `local`: exit 4, without a hint to change `local`', async () => {
    const env = { SVC_PROFILE: 'local', SVC_BASE_URL: 'http://127.0.0.1:1', SVC_WORKSPACE: 'ws' };
    const run = await runSvc(send, { env });
    expect(run.code).toBe(4);
    expect(run.stderr).toContain('next: give one: read -rs SVC_API_KEY && export SVC_API_KEY');
    expect(run.stderr).not.toContain('profiles add local');
  });

  it('base URL, workspace and key suffice without any profile', async () => {
    const service = await startTestService();
    expect(await runSvc(send, { env: service.env })).toMatchObject({ code: 0 });
  });

  it('a flag comes before the environment, the environment before the profile', async () => {
    const service = await startTestService();
    const home = tempDir();
    await runSvc(
      [
        'profiles',
        'add',
        'p',
        '--workspace',
        service.workspace,
        '--base-url',
        'http://127.0.0.1:1',
        '--api-key-stdin',
      ],
      { home, stdin: service.apiKey },
    );
    expect((await runSvc([...send, '--max-retries', '0'], { home })).code).toBe(6);
    expect((await runSvc(send, { home, env: { SVC_BASE_URL: service.url } })).code).toBe(0);
    expect(
      (
        await runSvc([...send, '--base-url', service.url], {
          home,
          env: { SVC_BASE_URL: 'http://127.0.0.1:1' },
        })
      ).code,
    ).toBe(0);
  });

  it('local needs nothing and keeps its data', async () => {
    const home = tempDir();
    expect((await runSvc([...send, '--profile', 'local'], { home })).code).toBe(0);
    expect((await runSvc([...send, '-p', 'local', '--json'], { home })).code).toBe(0);
  });

  it.each([
    ['a key over plain http elsewhere', { SVC_BASE_URL: 'http://example.com' }, 2],
    ['no URL', { SVC_BASE_URL: 'example' }, 2],
    ['another scheme', { SVC_BASE_URL: 'ftp://example.com' }, 2],
    ['a profile that is not there', { SVC_BASE_URL: undefined, SVC_PROFILE: 'nobody' }, 4],
    ['a wrong key', { SVC_API_KEY: 'sk_test_wrong' }, 4],
    ['another workspace', { SVC_WORKSPACE: 'ws_other' }, 4],
  ])('refuses %s', async (_, env, code) => {
    const service = await startTestService();
    const run = await runSvc(send, { env: { ...service.env, ...env } });
    expect(run).toMatchObject({ code, stdout: '' });
    expect(run.stderr).toMatch(/^error: .+\n {2}next: .+\n( {8}.+\n)?$/);
    const json = await runSvc([...send, '--json'], { env: { ...service.env, ...env } });
    expect(json).toMatchObject({ code, stdout: '' });
    expect(JSON.parse(json.stderr).error).toMatchObject({
      exitCode: code,
      message: expect.any(String),
      hint: expect.any(String),
    });
  });

  it('warns of a response from another region', async () => {
    const service = await startTestService({ region: 'eu' });
    const run = await runSvc([...send, '--region', 'us'], { env: service.env });
    expect(run.code).toBe(0);
    expect(run.stderr).toContain('region eu, not us');
  });

  it('shows the limit headers on request', async () => {
    const service = await startTestService({ limits: { ingest: 7 } });
    const run = await runSvc([...send, '--show-limits'], { env: service.env });
    expect(run.stderr).toMatch(/limit: 7 .*remaining: 6/);
  });
});
