import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type Answer, startReceiver } from '../../../support/peers/receiver.ts';
import { startTestService, type TestService } from '../../../support/process/service.ts';
import { addUser, post, settled, trigger, withTwilio } from '../../../support/vendors/live-service.ts';

const SECRET = 'the provider secret 1';
const PHONE = '+15558675310';
const OTHER = '+15558675311';
const SID = `SM${'1'.padStart(32, '0')}`;

/** A live service that sends through the provider `generic`, which answers as given. */
async function withGeneric(answer?: Answer) {
  const receiver = await startReceiver(answer);
  return startTestService({
    providers: ['sms=generic'],
    environment: {
      SVC_SMS_URL: receiver.url,
      SVC_PROVIDER_SECRET: SECRET,
      SVC_PROVIDER_RECEIPTS: '1',
    },
  });
}

async function postGeneric({ url, workspace }: TestService, receipt: object): Promise<number> {
  const body = JSON.stringify(receipt);
  const answer = await fetch(`${url}/v1/inform/receipts/${workspace}/generic`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-signature': createHmac('sha256', SECRET).update(body).digest('hex'),
    },
  });
  return answer.status;
}

const bounce = { receiptId: 'b1', status: 'bounce', channel: 'sms' };

/** What becomes of the next notification of a user. */
async function nextOf(service: TestService, hashId: string): Promise<string> {
  const { failure, status } = await settled(service, await trigger(service, hashId));
  return failure ?? status;
}

describe('a bounce of a notification', () => {
  it('suppresses no address to which the workspace sent nothing', async () => {
    const service = await withGeneric();
    const id = await trigger(service, await addUser(service));
    await settled(service, id);
    const other = await addUser(service, { userId: 'u2', phone: OTHER });
    expect(await postGeneric(service, { ...bounce, notificationId: id, address: OTHER })).toBe(200);
    expect(await nextOf(service, other)).toBe('dispatched');
    // It has sent to it now, and the same receipt was not used up.
    expect(await postGeneric(service, { ...bounce, notificationId: id, address: OTHER })).toBe(200);
    expect(await nextOf(service, other)).toBe('suppressed: bounce');
  });

  it.each([
    ['suppresses the address that it is being sent to', PHONE, 'suppressed: bounce'],
    ['suppresses no other one while it is being sent', OTHER, 'dispatched'],
  ])('%s', async (_, address, expected) => {
    let bounces = 1;
    const service: TestService = await withGeneric(async (response, { body }) => {
      const { notificationId } = JSON.parse(body.toString()) as { notificationId: string };
      if (bounces-- > 0) await postGeneric(service, { ...bounce, notificationId, address });
      response.writeHead(204).end();
    });
    const owner = await addUser(service, { phone: address });
    const sender = address === PHONE ? owner : await addUser(service, { userId: 'u2', phone: PHONE });
    const id = await trigger(service, sender);
    expect((await settled(service, id)).status).toBe('failed');
    expect(await nextOf(service, owner)).toBe(expected);
  });

  it('that names no address suppresses that of its message', async () => {
    const { service } = await withTwilio();
    const hashId = await addUser(service);
    await settled(service, await trigger(service, hashId));
    const receipt = { MessageSid: SID, MessageStatus: 'undelivered', ErrorCode: '30005' };
    expect((await post(service, receipt)).status).toBe(200);
    expect(await nextOf(service, hashId)).toBe('suppressed: bounce');
  });
});

describe('a receipt of a message that is not stored yet', () => {
  const receipt = (ErrorCode: string) => ({
    MessageSid: SID,
    MessageStatus: 'undelivered',
    ErrorCode,
    To: PHONE,
  });

  it.each([
    ['30005', 'suppressed: bounce'],
    ['21610', 'suppressed: stop'],
    ['30003', 'dispatched'],
  ])('with the code %s acts on its address before the next send', async (code, expected) => {
    const { service } = await withTwilio();
    const hashId = await addUser(service);
    expect((await post(service, receipt(code))).status).toBe(200);
    const first = await settled(service, await trigger(service, hashId));
    expect(first).toMatchObject({ status: 'failed', failure: expect.stringContaining(code) });
    expect(await nextOf(service, hashId)).toBe(expected);
  });

  it('acts once: a repeat after START changes nothing', async () => {
    const { service } = await withTwilio();
    const hashId = await addUser(service);
    await post(service, receipt('21610'));
    await settled(service, await trigger(service, hashId));
    expect(await nextOf(service, hashId)).toBe('suppressed: stop');
    await post(service, { MessageSid: 'SM9', From: PHONE, To: '+15017122661', Body: 'START' });
    await post(service, receipt('21610'));
    expect(await nextOf(service, hashId)).toBe('dispatched');
  });
});
