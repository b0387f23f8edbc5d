import { existsSync, readFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import {
  createKey,
  createWorkspace,
  listKeys,
  revokeKey,
  rotateKey,
} from '../../../src/service/admin/accounts.ts';
import { apiKeys } from '../../../src/service/http/access/api-keys.ts';
import { channelSettings } from '../../../src/service/notifications/providers/settings.ts';
import { startReceiver } from '../../support/peers/receiver.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { tempDir } from '../../support/temp.ts';

const status = async (service: TestService, key: string) =>
  (await service.fetch('/v1/webhooks', { headers: { authorization: `Bearer ${key}` } })).status;

it('three nodes refuse a revoked key from the next request on; other keys stay valid', async () => {
  const first = await startTestService();
  const nodes = [
    first,
    await startTestService({ database: first.database }),
    await startTestService({ database: first.database }),
  ];
  const all = (key: string) => Promise.all(nodes.map((node) => status(node, key)));
  const { store } = first.platform;
  const leaked = await createKey(store, undefined, undefined);
  const kept = await createKey(store, first.workspace, 'test');
  expect(await all(leaked.key)).toEqual([200, 200, 200]);
  await revokeKey(nodes[1]!.platform.store, leaked.keyId);
  expect(await all(leaked.key)).toEqual([401, 401, 401]);
  expect(await all(kept.key)).toEqual([200, 200, 200]);
});

it('what a new workspace needs is done at once, not at the next poll of a worker', async () => {
  const service = await startTestService();
  await expect.poll(() => service.idle()).toBe(true);
  await createWorkspace(service.platform.store, 'ws_second', 'test');
  await expect.poll(() => service.idle()).toBe(true);
});

it('a rotated key stays valid for its grace time, and then ends', async () => {
  const service = await startTestService();
  const { store } = service.platform;
  const old = await createKey(store, undefined, undefined);
  const replacement = await rotateKey(store, old.keyId, 60_000);
  expect([await status(service, old.key), await status(service, replacement.key)]).toEqual([200, 200]);
  const [{ endsAt } = { endsAt: null }] = (await listKeys(store, undefined)).keys.filter(
    ({ keyId }) => keyId === old.keyId,
  );
  expect(endsAt! - Date.now()).toBeGreaterThan(50_000);
  await rotateKey(store, replacement.keyId, 0);
  expect(await status(service, replacement.key)).toBe(401);
  // A key that has ended is not rotated.
  await revokeKey(store, old.keyId);
  await expect(rotateKey(store, old.keyId, 60_000)).rejects.toMatchObject({ reason: 'ended_key' });
  expect(await status(service, old.key)).toBe(401);
});

it('a key serves its own workspace only, also the first key of a new one', async () => {
  const service = await startTestService();
  const made = await createWorkspace(service.platform.store, 'shop', 'live');
  expect(made).toMatchObject({
    workspace: 'shop',
    kind: 'live',
    key: expect.stringMatching(/^sk_live_[0-9a-f]{48}$/),
  });
  expect(await status(service, made.key)).toBe(403);
  const headers = { authorization: `Bearer ${made.key}`, 'x-service-workspace': 'shop' };
  expect((await service.fetch('/v1/webhooks', { headers })).status).toBe(200);
  await expect(createWorkspace(service.platform.store, 'shop', 'test')).rejects.toThrow(
    'shop exists already',
  );
  await expect(createKey(service.platform.store, 'shop', 'test')).rejects.toThrow(
    'live workspace: it has no test keys',
  );
  await expect(createKey(service.platform.store, undefined, undefined)).rejects.toThrow(
    '2 workspaces: name one',
  );
});

it('a start after its own key was revoked makes a new one', async () => {
  const service = await startTestService();
  const { database, files, apiKey } = service;
  const [{ keyId } = { keyId: '' }] = (await listKeys(service.platform.store, undefined)).keys;
  await revokeKey(service.platform.store, keyId);
  await service.close();
  const credentials = `${files}.credentials.json`;
  expect(JSON.parse(readFileSync(credentials, 'utf8')).apiKey).toBe(apiKey);
  const again = await startTestService({ database });
  const shared = process.env.SVC_TEST_ENGINE === 'postgres';
  // A node on a shared database has no key rather than a revoked one.
  if (shared) expect(again.apiKey).toBeNull();
  else expect(await status(again, again.apiKey)).toBe(200);
  expect(await status(again, apiKey)).toBe(401);
});

it('a test workspace sends to the outbox only, whatever is configured', async () => {
  const provider = await startReceiver();
  onTestFinished(() => provider.close());
  const outbox = `${tempDir()}/outbox.ndjson`;
  const environment = { SVC_SMS_URL: provider.url, SVC_PROVIDER_SECRET: 'a secret of sixteen' };
  const lines: unknown[] = [];
  const service = await startTestService({
    mode: 'test',
    channels: channelSettings(environment, outbox),
    log: (...line) => lines.push(line),
  });
  const { users } = (await (
    await service.fetch('/v1/users', { body: { users: [{ userId: 'u', phone: '+441234567890' }] } })
  ).json()) as { users: { hashId: string }[] };
  const body = { hashId: users[0]!.hashId, templateId: 'welcome', channel: 'sms' };
  const sent = await service.fetch('/v1/inform/trigger', { body });
  expect(sent.status, await sent.text()).toBe(202);
  await expect.poll(() => existsSync(outbox) && readFileSync(outbox, 'utf8')).toContain('"channel":"sms"');
  expect(provider.received).toEqual([]);
  // The next start says so.
  const next = await startTestService({
    database: service.database,
    mode: 'test',
    channels: channelSettings(environment, outbox),
    log: (...line) => lines.push(line),
  });
  expect(JSON.stringify(lines)).toContain('a test workspace sends notifications to the outbox only');
  await next.close();
});

it('the last use of a key is stored when the service stops, and never goes back', async () => {
  const service = await startTestService();
  const { key, keyId } = await createKey(service.platform.store, undefined, undefined, 'import');
  const before = Date.now();
  expect(await status(service, key)).toBe(200);
  await service.close();
  const next = await startTestService({ database: service.database });
  const used = async () =>
    Number(
      (await listKeys(next.platform.store, undefined)).keys.find((each) => each.keyId === keyId)!.lastUsedAt,
    );
  const first = await used();
  expect(first).toBeGreaterThanOrEqual(before);
  await next.platform.store.write((tx) => apiKeys.markUsed(tx, [[keyId, first - 1000]]));
  expect(await used()).toBe(first);
});
