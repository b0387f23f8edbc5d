import { describe, expect, it, onTestFinished } from 'vitest';
import { updateWorkspace } from '../../../src/service/admin/accounts.ts';
import { channelSettings } from '../../../src/service/notifications/providers/settings.ts';
import { cannedService } from '../../support/peers/canned-service.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { runServe } from '../../support/process/run-serve.ts';
import { runSvc } from '../../support/process/run-svc.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

/** A service with the provider `generic` for sms, as docs/providers/generic.md sets it up, and a user with a number. */
async function withGeneric(mode: 'live' | 'test') {
  const provider = await startReceiver();
  onTestFinished(() => provider.close());
  const environment = { SVC_SMS_URL: provider.url, SVC_PROVIDER_SECRET: 'a secret of sixteen' };
  const channels = channelSettings(environment, `${tempDir()}/outbox.ndjson`);
  const service = await startTestService({ mode, channels });
  return { service, provider, hashId: await knownUser(service) };
}

async function knownUser(service: TestService): Promise<string> {
  const users = [{ userId: 'u1', phone: '+441632960017', emails: ['ada@example.org'] }];
  const answer = await service.fetch('/v1/users', { body: { users } });
  return ((await answer.json()) as { users: { hashId: string }[] }).users[0]!.hashId;
}

const trigger = (hashId: string, ...more: string[]) => [
  'notifications',
  'trigger',
  ...['--hash-id', hashId, '--template', 'welcome', '--channel', 'sms', '--priority', 'transactional'],
  ...more,
];

describe('a notification of a test workspace with a provider', () => {
  it('is reported as written to the outbox by every command, and no provider is called', async () => {
    const { service, provider, hashId } = await withGeneric('test');
    const { env, workspace } = service;
    const words = `written to the outbox: ${workspace} is a test workspace, no provider was called`;
    const waited = await runSvc(trigger(hashId, '--wait'), { env });
    expect(waited.code, waited.stderr).toBe(0);
    expect(waited.stdout).toContain(words);
    expect(waited.stdout).not.toContain('accepted by the provider');
    expect(provider.received).toEqual([]);

    const json = await runSvc(trigger(hashId, '--wait', '--json'), { env });
    expect(json.code, json.stderr).toBe(0);
    const record = JSON.parse(json.stdout);
    expect(record).toMatchObject({ status: 'delivered', sentBy: 'outbox' });
    expect(record.history.at(-1)).toMatchObject({
      status: 'delivered',
      reason: 'written to the outbox: test workspace',
    });
    const { notificationId: id } = record;
    expect((await runSvc(['notifications', 'get', id], { env })).stdout).toContain(words);
    const watched = await runSvc(['notifications', 'watch', id], { env });
    expect(watched.stdout).toMatch(/delivered {2}written to the outbox: test workspace\n/);
    expect(watched.stderr).toContain(words);
    const lines = (await runSvc(['notifications', 'watch', id, '--json'], { env })).stdout.trimEnd();
    expect(JSON.parse(lines.split('\n').at(-1)!)).toMatchObject({
      status: 'delivered',
      reason: 'written to the outbox: test workspace',
    });
    const listed = await runSvc(['notifications', 'list'], { env });
    expect(listed.stdout).toMatch(/\tdelivered \(outbox\)\t/);
    const list = JSON.parse((await runSvc(['notifications', 'list', '--json'], { env })).stdout);
    expect(list.notifications[0]).toMatchObject({ sentBy: 'outbox' });
    const timeline = await runSvc(['users', 'timeline', '--hash-id', hashId, '--json'], { env });
    expect(timeline.stdout, timeline.stderr).toContain('written to the outbox: test workspace');
  });

  it('goes to the provider once the workspace is live', async () => {
    const { service, provider, hashId } = await withGeneric('live');
    const { env } = service;
    const run = await runSvc(trigger(hashId, '--wait', '--json'), { env });
    expect(JSON.parse(run.stdout), run.stderr).toMatchObject({ status: 'delivered', sentBy: 'provider' });
    expect(provider.received).toHaveLength(1);
  });

  it('names the missing provider in a live workspace', async () => {
    const { service, hashId } = await withGeneric('live');
    const { env, workspace } = service;
    const argv = trigger(hashId, '--wait').map((word) => (word === 'sms' ? 'email' : word));
    const run = await runSvc(argv, { env });
    expect(run.stdout, run.stderr).toContain(
      `written to the outbox: the service of ${workspace} has no provider for email, no provider was called`,
    );
  });
});

describe('the mode of a workspace', () => {
  it('is named by doctor, with the way to a live one', async () => {
    const service = await startTestService();
    const { env, workspace, platform } = service;
    const mode = async (where: Parameters<typeof runSvc>[1], ...flags: string[]) => {
      const run = await runSvc(['doctor', '--json', ...flags], where);
      return JSON.parse(run.stdout).checks.find(({ check }: { check: string }) => check === 'mode');
    };
    expect(await mode({ env })).toMatchObject({
      status: 'ok',
      seen: `${workspace} is a test workspace: its notifications are written to the outbox, no provider is called`,
      next: expect.stringContaining('workspaces create --mode live'),
    });
    await updateWorkspace(platform.store, workspace, { mode: 'live' });
    expect(await mode({ env })).toMatchObject({
      status: 'ok',
      seen: `${workspace} is a live workspace`,
      next: null,
    });
    const home = tempDir();
    expect(await mode({ home }, '--profile', 'local')).toMatchObject({
      seen: expect.stringContaining('is a test workspace'),
      next: expect.stringMatching(/svc workspaces update ws_\w+ --mode live --profile local/),
    });
    const other = await cannedService(() => ({ body: '{"webhooks":[]}' }));
    expect(await mode(other)).toMatchObject({ status: 'skipped' });
  });

  it('is in the ready line of serve, with the key as other commands name it', async () => {
    const { ready, stop } = await runServe();
    expect(ready).toMatchObject({ mode: 'test', key: ready.apiKey, keyId: expect.stringMatching(/^key_/) });
    await stop();
  });
});
