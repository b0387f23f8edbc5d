import * as octokit from '@octokit/webhooks-methods';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { signBody, signStandardWebhook, verifyBody } from '../../src/contract/signature.ts';

const hex = (text: string) => Buffer.from(text, 'hex');
const repeated = (byte: number, times: number) => Buffer.alloc(times, byte);

/** RFC 4231, section 4: HMAC-SHA-256. Case 5 is truncated to 128 bits. */
const RFC_4231 = [
  {
    key: repeated(0x0b, 20),
    data: Buffer.from('Hi There'),
    mac: 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
  },
  {
    key: Buffer.from('Jefe'),
    data: Buffer.from('what do ya want for nothing?'),
    mac: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  },
  {
    key: repeated(0xaa, 20),
    data: repeated(0xdd, 50),
    mac: '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe',
  },
  {
    key: hex('0102030405060708090a0b0c0d0e0f10111213141516171819'),
    data: repeated(0xcd, 50),
    mac: '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  },
  {
    key: repeated(0x0c, 20),
    data: Buffer.from('Test With Truncation'),
    mac: 'a3b6167473100ee06e0c796c2955552b',
  },
  {
    key: repeated(0xaa, 131),
    data: Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First'),
    mac: '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  },
  {
    key: repeated(0xaa, 131),
    data: Buffer.from(
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    ),
    mac: '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  },
];

describe('signBody', () => {
  it.each(RFC_4231.map((vector, i) => ({ ...vector, n: i + 1 })))(
    'RFC 4231 case $n',
    ({ key, data, mac }) => {
      expect(signBody(data, key).slice(0, mac.length)).toBe(mac);
    },
  );

  it("GitHub's published example", async () => {
    const secret = "It's a Secret to Everybody";
    const body = Buffer.from('Hello, World!');
    const published = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    expect(signBody(body, secret)).toBe(published);
    expect(verifyBody(body, secret, published)).toBe(true);
    expect(await octokit.verify(secret, 'Hello, World!', `sha256=${signBody(body, secret)}`)).toBe(true);
  });

  it('encodes a secret as UTF-8 and signs a body that is not UTF-8 unchanged', () => {
    const body = Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28, 0x80]);
    expect(signBody(body, 'schlüssel-0123456789')).toBe(
      signBody(body, Buffer.from('schlüssel-0123456789', 'utf8')),
    );
    expect(verifyBody(body, 'schlüssel-0123456789', signBody(body, 'schlüssel-0123456789'))).toBe(true);
    expect(signBody(body, 'k')).not.toBe(signBody(Buffer.from(body.toString('utf8')), 'k'));
  });
});

describe('verifyBody', () => {
  it('accepts only 64 lowercase hex characters', () => {
    const body = Buffer.from('{}');
    const right = signBody(body, 'secret');
    expect(verifyBody(body, 'secret', right)).toBe(true);
    for (const wrong of [
      '',
      right.toUpperCase(),
      `sha256=${right}`,
      `${right}\n`,
      ` ${right}`,
      right.slice(1),
      `${right}0`,
    ]) {
      expect(verifyBody(body, 'secret', wrong), JSON.stringify(wrong)).toBe(false);
    }
  });
});

describe('signStandardWebhook', () => {
  it("the published example of Standard Webhooks' own libraries", () => {
    const body = Buffer.from('{"test": 2432232314}');
    const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
    expect(signStandardWebhook('msg_p5jXN8AQM9LWM0D4loKWxJek', 1614265330, body, key)).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });

  it("is accepted by Standard Webhooks' library for any secret and body", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 16, unit: 'grapheme-ascii' }), fc.json(), (secret, json) => {
        const now = Math.floor(Date.now() / 1000);
        const headers = {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(now),
          'webhook-signature': signStandardWebhook('msg_1', now, Buffer.from(json), secret),
        };
        expect(new Webhook(secret, { format: 'raw' }).verify(json, headers)).toEqual(JSON.parse(json));
      }),
    );
  });
});
