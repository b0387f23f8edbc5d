import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { signedHeaders } from '../../src/contract/signed-headers.ts';
import { memoryReplayWindow, verifyWebhook } from '../../src/library/webhooks.ts';
import { startReceiver } from '../support/peers/receiver.ts';
import { startTestService } from '../support/process/service.ts';

const SECRET = 'a signing secret';
const EVENT = {
  type: 'campaign.clicked',
  decisionId: 'dec_1',
  contentId: 'c',
  hashId: 'h',
  deliveryId: 'dlv_1',
  occurredAt: '2026-01-31T12:00:00.000Z',
};
const BODY = new TextEncoder().encode(JSON.stringify(EVENT));
const SENT_AT = Date.parse('2026-01-31T12:00:00Z');
const at = (ms: number) => ({ now: () => SENT_AT + ms });

const headersBy = (...secrets: [string, ...string[]]) => signedHeaders('dlv_1', SENT_AT, BODY, secrets);
const plainBy = (secret: string) => ({ 'X-Service-Signature': headersBy(secret)['x-service-signature'] });

/** The reason for which a delivery is refused; undefined if it is accepted. */
const reasonOf = (...args: Parameters<typeof verifyWebhook>) =>
  verifyWebhook(...args).then(
    () => undefined,
    (error: { reason?: string; message: string }) => error.reason ?? error.message,
  );

describe('verifyWebhook', () => {
  it('returns the body of a delivery of the service, in either form of signature', async () => {
    const service = await startTestService({ allowLoopbackWebhooks: true });
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const post = async (path: string, body: unknown) =>
      (await service.fetch(path, { body })).json() as Promise<Record<string, string>>;
    await post('/v1/webhooks', { url: receiver.url, events: [EVENT.type], signingSecret: SECRET });
    const { decisionId } = await post('/v1/decisioning/decide', { hashId: 'h' });
    await post(`/v1/messages/${decisionId}/outcomes`, { type: 'clicked' });
    const [got] = await receiver.waitFor(1);
    const { 'x-service-signature': plain, ...rest } = got!.headers;
    const expected = { type: 'campaign.clicked', decisionId, hashId: 'h' };
    expect(await verifyWebhook(got!.body, rest, SECRET)).toMatchObject(expected);
    expect(await verifyWebhook(got!.body, { 'x-service-signature': plain }, SECRET)).toMatchObject(expected);
    expect(await reasonOf(got!.body, got!.headers, `${SECRET}.`)).toBe('wrong-signature');
  });

  it('takes the body and the headers in every form that frameworks have', async () => {
    const given = headersBy(SECRET);
    const lists = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    for (const headers of [given, lists, new Headers(given)])
      for (const body of [
        BODY,
        Buffer.from(BODY),
        new TextDecoder().decode(BODY),
        BODY.buffer as ArrayBuffer,
      ])
        expect(await verifyWebhook(body, headers, SECRET, at(0))).toEqual(EVENT);
    const view = Buffer.concat([Buffer.from('x'), BODY]).subarray(1);
    expect(await verifyWebhook(view, plainBy(SECRET), SECRET)).toEqual(EVENT);
  });

  it('accepts both secrets of a rotation, on either side', async () => {
    expect(await reasonOf(BODY, headersBy('new', 'old'), 'old', at(0))).toBeUndefined();
    expect(await reasonOf(BODY, headersBy('new'), ['old', 'new'], at(0))).toBeUndefined();
    expect(await reasonOf(BODY, plainBy('new'), ['old', 'new'])).toBeUndefined();
    expect(await reasonOf(BODY, headersBy('new'), ['old'], at(0))).toBe('wrong-signature');
  });

  it('accepts a signed time within the tolerance only', async () => {
    const headers = headersBy(SECRET);
    expect(await reasonOf(BODY, headers, SECRET, at(300_000))).toBeUndefined();
    expect(await reasonOf(BODY, headers, SECRET, at(301_000))).toBe('too-old');
    expect(await reasonOf(BODY, headers, SECRET, at(-301_000))).toBe('too-new');
    expect(await reasonOf(BODY, headers, SECRET, { ...at(301_000), tolerance: 302 })).toBeUndefined();
    for (const timestamp of ['', 'soon', '1e9', '-1', '9'.repeat(20)]) {
      const odd = { ...headers, 'webhook-timestamp': timestamp };
      expect(await reasonOf(BODY, odd, SECRET, at(0))).toBe('wrong-timestamp');
    }
  });

  it('accepts a message once in a replay window, and its retry, which has another time', async () => {
    const replays = memoryReplayWindow(at(0));
    const options = { ...at(0), replays };
    const retried = signedHeaders('dlv_1', SENT_AT + 5_000, BODY, [SECRET]);
    expect(await reasonOf(BODY, headersBy(SECRET), SECRET, options)).toBeUndefined();
    expect(await reasonOf(BODY, headersBy(SECRET), SECRET, options)).toBe('replayed');
    expect(await reasonOf(BODY, retried, SECRET, options)).toBeUndefined();
    // A forged message must not take the place of the real one.
    const other = memoryReplayWindow(at(0));
    expect(await reasonOf(BODY, headersBy('wrong'), SECRET, { ...at(0), replays: other })).toBe(
      'wrong-signature',
    );
    expect(await reasonOf(BODY, headersBy(SECRET), SECRET, { ...at(0), replays: other })).toBeUndefined();
  });

  it('a replay window is bounded, and forgets what has expired', () => {
    let time = 0;
    const replays = memoryReplayWindow({ most: 3, now: () => time });
    for (const message of ['a', 'b', 'c', 'd']) expect(replays.add(message, 100)).toBe(true);
    expect(replays.add('d', 100)).toBe(false);
    expect(replays.add('a', 100)).toBe(true);
    time = 100;
    expect(replays.add('d', 200)).toBe(true);
  });

  it('never falls back from a signature that does not match to the other form', async () => {
    const mixed = { ...headersBy(SECRET), 'webhook-signature': headersBy('wrong')['webhook-signature']! };
    expect(await reasonOf(BODY, mixed, SECRET, at(0))).toBe('wrong-signature');
    expect(await reasonOf(BODY, plainBy(SECRET), SECRET, { accept: 'standard' })).toBe('missing-signature');
    expect(await reasonOf(BODY, {}, SECRET)).toBe('missing-signature');
  });

  it('accepts no changed body, signature or header', async () => {
    const headers = headersBy(SECRET);
    const part = fc.constantFrom(
      'body',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'x-service-signature',
    );
    await fc.assert(
      fc.asyncProperty(part, fc.nat(), fc.integer({ min: 1, max: 127 }), async (name, place, change) => {
        const flip = (text: string) => {
          const index = place % text.length;
          return `${text.slice(0, index)}${String.fromCharCode(text.charCodeAt(index) ^ change)}${text.slice(index + 1)}`;
        };
        const plainOnly = name === 'x-service-signature';
        const chosen: Record<string, string> = plainOnly ? { [name]: headers[name]! } : headers;
        const changed = name === 'body' ? chosen : { ...chosen, [name]: flip(chosen[name]!) };
        const body = name === 'body' ? flip(new TextDecoder().decode(BODY)) : BODY;
        expect(await reasonOf(body, changed, SECRET, at(0))).toMatch(/signature|timestamp|too/);
      }),
      // The example changes only bits that base64 of 32 bytes leaves unused.
      { numRuns: 300, examples: [['webhook-signature', 45, 1]] },
    );
  });

  it('says what is called wrongly, and refuses an empty secret', async () => {
    const call = verifyWebhook as (...args: unknown[]) => Promise<unknown>;
    await expect(call(EVENT, headersBy(SECRET), SECRET)).rejects.toThrow(/needs the raw body/);
    for (const secret of ['', undefined, [], ['']])
      await expect(call(BODY, headersBy(SECRET), secret)).rejects.toThrow(/needs the signing secret/);
    const odd = new TextEncoder().encode('not json');
    const headers = { 'x-service-signature': signedHeaders('d', 0, odd, [SECRET])['x-service-signature'] };
    await expect(verifyWebhook(odd, headers, SECRET)).rejects.toMatchObject({
      reason: 'not-json',
      status: 400,
    });
    await expect(verifyWebhook(BODY, {}, SECRET)).rejects.toMatchObject({ status: 401 });
  });
});
