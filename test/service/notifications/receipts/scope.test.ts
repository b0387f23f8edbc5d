import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createWorkspace } from '../../../../src/service/admin/accounts.ts';
import { SENDER_LIMIT } from '../../../../src/service/http/access/sender-limit.ts';
import { channelSettings } from '../../../../src/service/notifications/providers/settings.ts';
import { unsubscribeUrl } from '../../../../src/service/notifications/providers/unsubscribe.ts';
import { startReceiver } from '../../../support/peers/receiver.ts';
import { startTestService } from '../../../support/process/service.ts';
import { tempDir } from '../../../support/temp.ts';
import { addUser, record, settled, trigger } from '../../../support/vendors/live-service.ts';

const SECRET = 'the provider secret 1';
const PHONE = '+15558675310';

/** A live service with the provider `generic`, whose signatures hold for every workspace, and a second workspace. */
async function withGeneric(more: object = {}) {
  const receiver = await startReceiver();
  const service = await startTestService({
    providers: ['sms=generic'],
    environment: {
      SVC_SMS_URL: receiver.url,
      SVC_PROVIDER_SECRET: SECRET,
      SVC_PROVIDER_RECEIPTS: '1',
    },
    ...more,
  });
  const second = await createWorkspace(service.platform.store, 'ws_second', 'live');
  const other = {
    ...service,
    workspace: second.workspace,
    fetch: (path: string, init: Parameters<typeof service.fetch>[1] = {}) =>
      service.fetch(path, {
        ...init,
        headers: { authorization: `Bearer ${second.key}`, 'x-service-workspace': second.workspace },
      }),
  };
  return { service, other, receiver };
}

interface Change {
  readonly workspace?: string;
  readonly provider?: string;
  readonly secret?: string;
  readonly from?: string;
}

/** Posts a receipt to the first workspace, unless changed. */
async function post(
  { url, workspace }: { url: string; workspace: string },
  receipt: object,
  change: Change = {},
) {
  const body = JSON.stringify(receipt);
  const path = `/v1/inform/receipts/${change.workspace ?? workspace}/${change.provider ?? 'generic'}`;
  const answer = await fetch(url + path, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-signature': createHmac('sha256', change.secret ?? SECRET)
        .update(body)
        .digest('hex'),
      ...(change.from === undefined ? {} : { 'x-forwarded-for': change.from }),
    },
  });
  return { status: answer.status, text: await answer.text(), retryAfter: answer.headers.get('retry-after') };
}

const stop = { receiptId: 's1', type: 'stop', channel: 'sms', address: PHONE };

it('a receipt acts only on the messages and addresses that its workspace sent to', async () => {
  const { service, other } = await withGeneric();
  const mine = await addUser(service);
  const theirs = await addUser(other);
  const id = await trigger(service, mine);
  expect((await settled(service, id)).status).toBe('dispatched');

  // As somebody with a genuine receipt of the first workspace can send it to the second one.
  for (const receipt of [
    stop,
    { receiptId: 'b1', status: 'bounce', channel: 'sms', address: PHONE, notificationId: id },
    { receiptId: 'd1', status: 'delivered', notificationId: id },
  ])
    expect((await post(other, receipt)).status).toBe(200);
  expect((await record(service, id)).status).toBe('dispatched');
  const first = await trigger(other, theirs);
  expect((await settled(other, first)).status).toBe('dispatched');

  // It has sent to that address now, and the same receipt was not used up.
  expect((await post(other, stop)).status).toBe(200);
  expect((await settled(other, await trigger(other, theirs))).failure).toBe('suppressed: stop');
  expect((await settled(service, await trigger(service, mine))).status).toBe('dispatched');
  expect((await post(other, { ...stop, receiptId: 's2', type: 'start' })).status).toBe(200);
  expect((await settled(other, await trigger(other, theirs))).status).toBe('dispatched');
  expect((await post(service, { receiptId: 'd2', status: 'delivered', notificationId: id })).status).toBe(
    200,
  );
  expect((await record(service, id)).status).toBe('delivered');
});

it('an answer does not say whether a workspace or a provider exists', async () => {
  const { service } = await withGeneric();
  const receipt = { receiptId: 'r1', status: 'delivered', notificationId: 'ntf_1' };
  const answers = await Promise.all([
    post(service, receipt, { secret: 'forged' }),
    post(service, receipt, { secret: 'forged', workspace: 'ws_none' }),
    post(service, receipt, { secret: 'forged', workspace: 'ws_none', provider: 'none' }),
    post(service, receipt, { secret: 'forged', provider: 'none' }),
    post(service, receipt, { workspace: 'ws_none' }),
  ]);
  const texts = answers.map(({ status, text }) => `${status} ${text.replace(/req_\w+/, 'req')}`);
  expect(new Set(texts).size, texts.join('\n')).toBe(1);
  expect(answers[0]!.status).toBe(401);
  expect((await post(service, receipt)).status).toBe(200);
});

it('forged receipts use up the limit of their sender alone, and genuine ones that of their workspace', async () => {
  const { service, other } = await withGeneric({ receiptsLimit: 3, trustedProxies: ['127.0.0.1'] });
  const receipt = { receiptId: 'r1', status: 'delivered', notificationId: 'ntf_1' };
  const forge = () => post(service, receipt, { secret: 'forged', from: '198.51.100.1' });
  const statuses = new Map<number, number>();
  for (let sent = 0; sent < SENDER_LIMIT + 20; sent += 20)
    for (const { status } of await Promise.all(Array.from({ length: 20 }, forge)))
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
  expect(Object.fromEntries(statuses)).toEqual({ 401: SENDER_LIMIT, 429: 20 });
  const refused = await post(service, receipt, { from: '198.51.100.1' });
  expect([refused.status, Number(refused.retryAfter) > 0]).toEqual([429, true]);
  expect(refused.text).toContain('The address is over the limit');

  const genuine = (workspace = service.workspace) =>
    post(service, receipt, { workspace, from: '203.0.113.1' });
  for (let i = 0; i < 3; i++) expect((await genuine()).status).toBe(200);
  expect((await genuine()).status).toBe(429);
  // Neither another workspace, nor the links that unsubscribe, nor the requests with a key.
  expect((await genuine(other.workspace)).status).toBe(200);
  const target = { workspaceId: service.workspace, hashId: 'a'.repeat(64), category: null };
  const link = unsubscribeUrl(service.platform.cipher, service.url, target);
  expect((await fetch(link, { headers: { 'x-forwarded-for': '203.0.113.2' } })).status).toBe(200);
  expect((await service.fetch('/v1/webhooks')).status).toBe(200);
});

it('genuine receipts do not count against the address that sends them', async () => {
  const { service } = await withGeneric();
  const receipt = { receiptId: 'r1', status: 'delivered', notificationId: 'ntf_1' };
  for (let sent = 0; sent <= SENDER_LIMIT; sent += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(service, receipt)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  }
});

/** The set-up of docs/providers/generic.md: the URL of a channel alone chooses the provider. */
async function withUrl() {
  const receiver = await startReceiver();
  const environment = {
    SVC_SMS_URL: receiver.url,
    SVC_PROVIDER_SECRET: SECRET,
    SVC_PROVIDER_RECEIPTS: '1',
  };
  const channels = channelSettings(environment, join(tempDir(), 'outbox.ndjson'));
  const service = await startTestService({ channels });
  return { service, hashId: await addUser(service) };
}

it('a channel whose URL alone is set takes receipts', async () => {
  const { service, hashId } = await withUrl();
  const id = await trigger(service, hashId);
  expect((await settled(service, id)).status).toBe('dispatched');
  expect((await post(service, { receiptId: 'd1', status: 'delivered', notificationId: id })).status).toBe(
    200,
  );
  expect((await record(service, id)).status).toBe('delivered');
  expect((await post(service, stop)).status).toBe(200);
  expect((await settled(service, await trigger(service, hashId))).failure).toBe('suppressed: stop');
});

it('a stop or a start without an identifier acts each time', async () => {
  const { service, hashId } = await withUrl();
  expect((await settled(service, await trigger(service, hashId))).status).toBe('dispatched');
  const { receiptId: _, ...same } = stop;
  for (const type of ['stop', 'start', 'stop', 'start', 'stop']) {
    expect((await post(service, { ...same, type })).status).toBe(200);
    const sent = await settled(service, await trigger(service, hashId));
    expect(sent.failure ?? sent.status).toBe(type === 'stop' ? 'suppressed: stop' : 'dispatched');
  }
});
