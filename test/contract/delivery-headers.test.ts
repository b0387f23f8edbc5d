import { execFileSync } from 'node:child_process';
import { verify as verifyOctokit } from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signedHeaders } from '../../src/contract/signed-headers.ts';

const secretText = fc
  .string({ unit: 'binary', minLength: 16, maxLength: 64 })
  .filter((s) => !s.includes('\0'));

describe('a signed delivery', () => {
  it('is accepted by independent verifiers for any body and secret', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array(), secretText, async (bytes, secret) => {
        const body = Buffer.from(JSON.stringify({ bytes: [...bytes] }));
        const headers = signedHeaders('dlv_1', Date.now(), body, [secret]);
        const standard = new Webhook(Buffer.from(secret, 'utf8'), { format: 'raw' });
        expect(standard.verify(body, headers)).toEqual({ bytes: [...bytes] });
        const hex = headers['x-service-signature']!;
        expect(hex).toMatch(/^[0-9a-f]{64}$/);
        expect(await verifyOctokit(secret, body.toString(), `sha256=${hex}`)).toBe(true);
        expect(await verifyOctokit(`${secret}x`, body.toString(), `sha256=${hex}`)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });

  it('has the hex that openssl computes', () => {
    const body = Buffer.from('{"type":"campaign.clicked","hashId":"ü"}\n');
    const secret = 'a secret with an ümlaut';
    const printed = execFileSync('openssl', ['dgst', '-sha256', '-hmac', secret], { input: body }).toString();
    expect(printed.trim().split(' ').at(-1)).toBe(
      signedHeaders('dlv_1', 0, body, [secret])['x-service-signature'],
    );
  });

  it('carries signatures by both secrets during a rotation, and X-Service-Signature by the new one', () => {
    const body = Buffer.from('{"a":1}');
    const [fresh, former] = ['the fresh secret 123', 'the former secret 45'];
    const headers = signedHeaders('dlv_2', Date.now(), body, [fresh, former]);
    for (const secret of [fresh, former])
      expect(new Webhook(secret, { format: 'raw' }).verify(body, headers)).toEqual({ a: 1 });
    expect(headers['x-service-signature']).toBe(
      signedHeaders('dlv_2', 0, body, [fresh])['x-service-signature'],
    );
    expect(() => new Webhook('another secret 6789', { format: 'raw' }).verify(body, headers)).toThrow();
  });

  it('signs ID and time: a replay that changes either is rejected', () => {
    const body = Buffer.from('{}');
    const secret = 'the secret of a hook';
    const headers = signedHeaders('dlv_3', Date.now(), body, [secret]);
    const standard = new Webhook(secret, { format: 'raw' });
    expect(() => standard.verify(body, { ...headers, 'webhook-id': 'dlv_4' })).toThrow();
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => standard.verify(body, { ...headers, 'webhook-timestamp': later })).toThrow();
  });
});
