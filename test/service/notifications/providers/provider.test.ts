import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, it } from 'vitest';
import { verifyBody } from '../../../../src/contract/signature.ts';
import { anyOutgoing } from '../../../../src/service/notifications/providers/outgoing.ts';
import { providerChannel } from '../../../../src/service/notifications/providers/provider.ts';
import { genericProvider } from '../../../../src/service/notifications/providers/settings.ts';
import { untraced } from '../../../../src/service/platform/tracing/tracing.ts';
import { startRawServer } from '../../../support/peers/raw-server.ts';
import { type Answer, type Receiver, startReceiver } from '../../../support/peers/receiver.ts';
import { sampleMessage } from './message.ts';

const { signal } = new AbortController();
const secret = 'the provider secret 1';
let receiver: Receiver | undefined;
afterEach(() => receiver?.close());

/** The provider `generic`, as the variables SVC_SMS_URL and SVC_PROVIDER_SECRET configure it. */
function generic(url: string, idempotent: boolean, deadlineMs: number) {
  const provider = genericProvider('sms', { url, secret, idempotent });
  return providerChannel(provider, { outgoing: anyOutgoing(), tracing: untraced, deadlineMs, now: Date.now });
}

async function sendTo(answer?: Answer, deadlineMs = 10_000) {
  receiver = await startReceiver(answer);
  const channel = generic(`${receiver.url}messages`, false, deadlineMs);
  return channel.send(sampleMessage({ channel: 'sms' }), signal);
}

describe('a provider', () => {
  it('receives one signed request with the text in plain', async () => {
    expect(await sendTo()).toEqual({ outcome: 'accepted' });
    const [got] = receiver!.received;
    expect(got!.path).toBe('/messages');
    expect(JSON.parse(got!.body.toString())).toEqual({
      notificationId: 'ntf_1',
      channel: 'sms',
      priority: 'transactional',
      templateId: 'order_update',
      hashId: 'a'.repeat(64),
      to: { phone: '+441234567890', email: 'ada@example.com' },
      subject: 'Your order',
      text: 'Hello Ada Lovelace,\nyour order A-1 is here.',
    });
    expect(verifyBody(got!.body, secret, got!.headers['x-service-signature']!)).toBe(true);
    expect(new Webhook(secret, { format: 'raw' }).verify(got!.body, got!.headers)).toBeTruthy();
    expect(got!.headers['idempotency-key']).toBe('ntf_1');
  });

  it.each([
    [201, 'accepted'],
    [302, 'rejected'],
    [400, 'rejected'],
    [404, 'rejected'],
    [429, 'retryable'],
    [500, 'ambiguous'],
    [503, 'ambiguous'],
  ] as const)('that answers %d: %s', async (status, outcome) => {
    expect(await sendTo((response) => response.writeHead(status).end('x'))).toMatchObject({ outcome });
  });

  it('that hangs or resets leaves the outcome unknown; a refused connection does not', async () => {
    expect(await sendTo(() => {}, 300)).toMatchObject({ outcome: 'ambiguous' });
    await receiver?.close();
    expect(await sendTo((_response, _got, request) => request.socket.destroy())).toMatchObject({
      outcome: 'ambiguous',
    });
    await receiver?.close();
    const { url } = receiver!;
    const channel = generic(url, true, 10_000);
    expect(await channel.send(sampleMessage(), signal)).toMatchObject({ outcome: 'retryable' });
    expect(channel.deduplicates).toBe(true);
  });

  it.each([
    ['informational answers', '', 'HTTP/1.1 103\r\n\r\n', 'ambiguous'],
    ['empty lines', '', '\r\n', 'ambiguous'],
    ['a body', 'HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n', 'x', 'accepted'],
    ['chunk extensions', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;', 'x=y;', 'accepted'],
  ])('that sends endless %s is disconnected', async (_, start, endless, outcome) => {
    const endlessly = await startRawServer((socket, flood) => {
      socket.write(start);
      flood(endless);
    });
    const { url } = endlessly;
    const channel = generic(url, true, 20_000);
    expect(await channel.send(sampleMessage(), signal)).toMatchObject({ outcome });
    await endlessly.closed();
    expect(endlessly.sent()).toBeLessThan(32 * 1024 * 1024);
    await channel.close();
    await endlessly.close();
  });

  it('that answers too slowly is disconnected at the deadline', async () => {
    const dripping = await startRawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x: y\r\n'), 50);
      socket.once('close', () => clearInterval(timer));
    });
    const { url } = dripping;
    const channel = generic(url, true, 400);
    expect(await channel.send(sampleMessage(), signal)).toEqual({
      outcome: 'ambiguous',
      error: 'no complete answer within 0.4 s',
    });
    await dripping.closed();
    await channel.close();
    await dripping.close();
  });
});
