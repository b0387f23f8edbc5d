import { createHash, createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { signBody, signStandardWebhook } from '../../../src/contract/signature.ts';
import type { MistakeName } from '../../../src/features/listen/signature-diagnosis/mistakes.ts';

export const SECRET = '7d0c1f4be2a95836c47b1e60f8d2a3957d0c1f4be2a95836c47b1e60f8d2a395';
export const STAGING = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
export const event = {
  type: 'campaign.clicked',
  decisionId: 'dec_81',
  contentId: 'café/<b>',
  hashId: '9f86d081',
  deliveryId: 'dlv_1',
};
export const COMPACT = JSON.stringify(event);

export interface Sent {
  body?: string | Buffer;
  /** The value of X-Service-Signature; null leaves the header out. */
  signature: string | null;
  secret?: string;
  headers?: Record<string, string>;
}

export const sign = (body: string | Buffer, key: string | Buffer = SECRET) =>
  signBody(Buffer.from(body as string), key);
const upper = { ...event, amount: 10 };
const python = (value: object) =>
  JSON.stringify(value, null, 1)
    .replace(/\n\s*/g, ' ')
    .replace('{ ', '{')
    .replace(' }', '}')
    .replace('é', '\\u00e9');
const SCALARS = '{"a":"it\'s","b":true,"c":null,"d":1.0,"e":["caf\u00e9",false]}';
const SCALARS_OF_PYTHON = "{'a': \"it's\", 'b': True, 'c': None, 'd': 1.0, 'e': ['caf\u00e9', False]}";
export const base64 = (body: string, key: string = SECRET) =>
  createHmac('sha256', key).update(body).digest('base64');

/** Examples of every known mistake. */
export const EXAMPLES: ReadonlyArray<[MistakeName, string, () => Sent]> = [
  [
    're-serialised-body',
    'signed compact, sent with spaces',
    () => ({ body: python(event), signature: sign(COMPACT) }),
  ],
  ['re-serialised-body', "signed as Python's json.dumps writes", () => ({ signature: sign(python(event)) })],
  [
    're-serialised-body',
    "signed as Go's json.Marshal writes",
    () => ({ signature: sign(COMPACT.replace('<', '\\u003c').replace('>', '\\u003e')) }),
  ],
  [
    're-serialised-body',
    "signed as PHP's json_encode writes",
    () => ({ signature: sign(COMPACT.replace('é', '\\u00e9').replace('/', '\\/')) }),
  ],
  [
    're-serialised-body',
    'signed with the keys sorted',
    () => ({ signature: sign(JSON.stringify(event, Object.keys(event).sort())) }),
  ],
  [
    're-serialised-body',
    'number in another spelling',
    () => ({ body: JSON.stringify(upper).replace('10}', '1e1}'), signature: sign(JSON.stringify(upper)) }),
  ],
  [
    'pretty-printed-body',
    'signed compact, sent indented',
    () => ({ body: JSON.stringify(event, null, 2), signature: sign(COMPACT) }),
  ],
  [
    'pretty-printed-body',
    'signed indented, sent compact',
    () => ({ signature: sign(JSON.stringify(event, null, 4)) }),
  ],
  ['pretty-printed-body', 'with tabs', () => ({ signature: sign(JSON.stringify(event, null, '\t')) })],
  [
    're-serialised-body',
    'fractions shortened on the way',
    () => ({ body: '{"amount":10,"count":3}', signature: sign('{"amount":10.0,"count":3}') }),
  ],
  [
    're-serialised-body',
    'an exponent written out',
    () => ({ body: '{"n":1e3}', signature: sign('{"n":1000}') }),
  ],
  [
    're-serialised-body',
    'an exponent written out on the way',
    () => ({ body: '{"n":1000}', signature: sign('{"n":1e3}') }),
  ],
  ['re-serialised-body', 'minus zero', () => ({ body: '{"n":-0}', signature: sign('{"n":0}') })],
  [
    're-serialised-body',
    'digits of a big integer lost',
    () => ({ body: '{"id":1234567890123456789}', signature: sign('{"id":1234567890123456800}') }),
  ],
  [
    're-serialised-body',
    'digits of a big integer lost on the way',
    () => ({ body: '{"id":1234567890123456800}', signature: sign('{"id":1234567890123456789}') }),
  ],
  [
    're-serialised-body',
    'stored as jsonb, which sorts keys by length',
    () => ({
      body: '{"type": "a", "hashId": "d", "contentId": "c", "decisionId": "b"}',
      signature: sign('{"type":"a","decisionId":"b","contentId":"c","hashId":"d"}'),
    }),
  ],
  [
    're-serialised-body',
    "signed as .NET's System.Text.Json writes",
    () => ({
      signature: sign(COMPACT.replace('é', '\\u00E9').replace('<', '\\u003C').replace('>', '\\u003E')),
    }),
  ],
  [
    'pretty-printed-body',
    'indented, non-ASCII escaped',
    () => ({ signature: sign(JSON.stringify(event, null, 2).replace('é', '\\u00e9')) }),
  ],
  [
    'pretty-printed-body',
    'as Jackson writes',
    () => ({
      body: '{"a":[1,{"b":2}],"c":{}}',
      signature: sign('{\n  "a" : [ 1, {\n    "b" : 2\n  } ],\n  "c" : { }\n}'),
    }),
  ],
  ['python-dict-text', 'str(event) signed', () => ({ body: SCALARS, signature: sign(SCALARS_OF_PYTHON) })],
  ['python-dict-text', 'str(event) sent', () => ({ body: SCALARS_OF_PYTHON, signature: sign(SCALARS) })],
  ['stringified-object', "PHP's", () => ({ signature: sign('Array') })],
  [
    'stringified-object',
    "Go's fmt.Sprint",
    () => ({ body: '{"b":1,"a":[true,null]}', signature: sign('map[a:[true <nil>] b:1]') }),
  ],
  [
    'stringified-object',
    "Ruby's to_s",
    () => ({ body: '{"a":"x","b":null}', signature: sign('{"a"=>"x", "b"=>nil}') }),
  ],
  [
    'stringified-object',
    "Java's toString",
    () => ({ body: '{"a":"x","b":null}', signature: sign('{a=x, b=null}') }),
  ],
  ['encoded-as-utf16', 'signed so', () => ({ signature: sign(Buffer.from(COMPACT, 'utf16le')) })],
  [
    'encoded-as-utf16',
    'sent so',
    () => ({ body: Buffer.from(COMPACT, 'utf16le'), signature: sign(COMPACT) }),
  ],
  ['trailing-newline', 'sent with one', () => ({ body: `${COMPACT}\n`, signature: sign(COMPACT) })],
  ['trailing-newline', 'signed with one', () => ({ signature: sign(`${COMPACT}\n`) })],
  ['trailing-newline', 'CRLF', () => ({ body: `${COMPACT}\r\n`, signature: sign(COMPACT) })],
  [
    'trailing-newline',
    'one of two kept',
    () => ({ body: `${COMPACT}\n\n`, signature: sign(`${COMPACT}\n`) }),
  ],
  ['trailing-newline', 'many', () => ({ body: COMPACT + '\n'.repeat(9), signature: sign(COMPACT) })],
  ['line-endings', 'LF made CRLF', () => ({ body: 'a\r\nb', signature: sign('a\nb') })],
  ['line-endings', 'CRLF made LF', () => ({ body: 'a\nb', signature: sign('a\r\nb') })],
  ['byte-order-mark', 'added', () => ({ body: `\ufeff${COMPACT}`, signature: sign(COMPACT) })],
  ['byte-order-mark', 'lost', () => ({ signature: sign(`\ufeff${COMPACT}`) })],
  ['surrounding-space', 'trimmed', () => ({ body: `  ${COMPACT} x `, signature: sign(`${COMPACT} x`) })],
  [
    'decoded-as-text',
    'not UTF-8',
    () => ({
      body: Buffer.from([0x7b, 0xff, 0x7d]),
      signature: sign(Buffer.from([0x7b, 0xff, 0x7d]).toString('utf8')),
    }),
  ],
  ['decoded-as-latin1', 'read so', () => ({ signature: sign(Buffer.from(COMPACT).toString('latin1')) })],
  ['decoded-as-latin1', 'written so', () => ({ signature: sign(Buffer.from(COMPACT, 'latin1')) })],
  ['empty-body', 'stream consumed', () => ({ signature: sign('') })],
  ['stringified-object', 'String(req.body)', () => ({ signature: sign(String(event)) })],
  ['python-bytes-text', 'str(body)', () => ({ signature: sign(`b'${COMPACT}'`) })],
  ['double-encoded', 'stringify of text', () => ({ signature: sign(JSON.stringify(COMPACT)) })],
  ['base64-body', 'signed so', () => ({ signature: sign(Buffer.from(COMPACT).toString('base64')) })],
  [
    'base64-body',
    'sent so',
    () => ({ body: Buffer.from(COMPACT).toString('base64'), signature: sign(COMPACT) }),
  ],
  ['compressed-body', 'gzip after signing', () => ({ body: gzipSync(COMPACT), signature: sign(COMPACT) })],
  [
    'signed-with-timestamp',
    "Standard Webhooks' content",
    () => ({
      signature: sign(`msg_1.1700000000.${COMPACT}`),
      headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': '1700000000' },
    }),
  ],
  [
    'signed-with-timestamp',
    "Stripe's header",
    () => ({ signature: `t=1700000000,v1=${sign(`1700000000.${COMPACT}`)}` }),
  ],
  ['sha256-prefix', "GitHub's", () => ({ signature: `sha256=${sign(COMPACT)}` })],
  ['other-prefix', 'v1=', () => ({ signature: `v1=${sign(COMPACT)}` })],
  ['other-prefix', '0x', () => ({ signature: `0x${sign(COMPACT)}` })],
  ['base64-signature', 'base64', () => ({ signature: base64(COMPACT) })],
  [
    'base64-signature',
    'base64url',
    () => ({ signature: createHmac('sha256', SECRET).update(COMPACT).digest('base64url') }),
  ],
  ['base64-of-hex', 'twice', () => ({ signature: Buffer.from(sign(COMPACT)).toString('base64') })],
  ['upper-case-hex', 'upper case', () => ({ signature: sign(COMPACT).toUpperCase() })],
  ['separated-hex', 'colons', () => ({ signature: (sign(COMPACT).match(/../g) as string[]).join(':') })],
  ['quoted-signature', 'JSON string', () => ({ signature: JSON.stringify(sign(COMPACT)) })],
  ['repeated-header', 'two lines joined', () => ({ signature: `${'0'.repeat(64)}, ${sign(COMPACT)}` })],
  [
    'other-algorithm',
    'SHA-1',
    () => ({ signature: createHmac('sha1', SECRET).update(COMPACT).digest('hex') }),
  ],
  [
    'other-algorithm',
    'SHA-512',
    () => ({ signature: createHmac('sha512', SECRET).update(COMPACT).digest('hex') }),
  ],
  ['plain-hash', 'no secret', () => ({ signature: createHash('sha256').update(COMPACT).digest('hex') })],
  [
    'concatenated-hash',
    'secret first',
    () => ({
      signature: createHash('sha256')
        .update(SECRET + COMPACT)
        .digest('hex'),
    }),
  ],
  [
    'concatenated-hash',
    'secret last',
    () => ({
      signature: createHash('sha256')
        .update(COMPACT + SECRET)
        .digest('hex'),
    }),
  ],
  ['swapped-arguments', 'key and message', () => ({ signature: sign(SECRET, COMPACT) })],
  ['other-secret', 'of another profile', () => ({ signature: sign(COMPACT, STAGING) })],
  [
    'rotated-secret',
    'two Standard Webhooks signatures',
    () => ({
      signature: sign(COMPACT, 'the-new-secret-of-this-subscription'),
      headers: {
        'webhook-id': 'msg_1',
        'webhook-timestamp': '1700000000',
        'webhook-signature': `v1,AAAA ${signStandardWebhook('msg_1', 1700000000, Buffer.from(COMPACT), SECRET)}`,
      },
    }),
  ],
  [
    'secret-decoded-from-hex',
    'Buffer.from(secret, "hex")',
    () => ({ signature: sign(COMPACT, Buffer.from(SECRET, 'hex')) }),
  ],
  [
    'secret-decoded-from-base64',
    "Standard Webhooks' way",
    () => ({
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      signature: sign(COMPACT, Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')),
    }),
  ],
  [
    'secret-without-prefix',
    'whsec_ cut off',
    () => ({ secret: 'whsec_!not-base64-at-all', signature: sign(COMPACT, '!not-base64-at-all') }),
  ],
  ['secret-with-newline', 'echo > file', () => ({ signature: sign(COMPACT, `${SECRET}\n`) })],
  ['secret-trimmed', 'strip()', () => ({ secret: ` ${SECRET}`, signature: sign(COMPACT, SECRET) })],
  ['secret-with-quotes', '.env file', () => ({ signature: sign(COMPACT, `"${SECRET}"`) })],
  [
    'secret-without-quotes',
    'unquoted there',
    () => ({ secret: `'${SECRET}'`, signature: sign(COMPACT, SECRET) }),
  ],
  ['secret-in-other-case', 'upper case', () => ({ signature: sign(COMPACT, SECRET.toUpperCase()) })],
  ['unset-secret', 'undefined', () => ({ signature: sign(COMPACT, 'undefined') })],
  ['missing-header', 'unsigned', () => ({ signature: null })],
  ['missing-header', 'empty', () => ({ signature: '' })],
  [
    'wrong-header',
    "GitHub's",
    () => ({ signature: null, headers: { 'x-hub-signature-256': sign(COMPACT) } }),
  ],
  ['not-a-signature', 'some text', () => ({ signature: 'signed, truly yours' })],
];
