import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';

/** How a hostile client reaches a service. */
export interface Target {
  readonly port: number;
  readonly apiKey: string;
  readonly workspace: string;
}

export interface HostileCase {
  readonly name: string;
  /** The expected status. */
  readonly status: number;
  readonly bytes: (target: Target) => (string | Uint8Array)[];
}

const EVENT = '"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"';
const nested = (open: string, close: string, deep = 100_000) => open.repeat(deep) + 1 + close.repeat(deep);
const event = (more: string) => `{"events":[{${EVENT}${more}}]}`;
const fields = (count: number, value: string) =>
  Array.from({ length: count }, (_, i) => `"k${i}":${value}`).join(',');

/** An authenticated request with a body. */
function request(
  path: string,
  body: string | Uint8Array,
  headers = '',
  closing = true,
): HostileCase['bytes'] {
  return ({ apiKey, workspace }) => [
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${apiKey}\r\nx-service-workspace: ${workspace}\r\n` +
      `content-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n` +
      `${closing ? 'connection: close\r\n' : ''}\r\n`,
    body,
  ];
}

function head(lines: string, auth = true): HostileCase['bytes'] {
  return ({ apiKey, workspace }) => [
    `${lines}\r\n${auth ? `authorization: Bearer ${apiKey}\r\nx-service-workspace: ${workspace}\r\n` : ''}connection: close\r\n\r\n`,
  ];
}

function body(path: string, text: string | Uint8Array, status = 400, headers = '') {
  return { status, bytes: request(path, text, headers) };
}

const HUNDRED_MB = Buffer.alloc(100_000_000, 0x20);
const TEN_MB = HUNDRED_MB.subarray(0, 10_000_000);
const chunked = (size: number) => {
  const chunk = Buffer.alloc(1_000_000, 0x20);
  const framed = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]);
  return [...Array<Buffer>(size / chunk.length).fill(framed), Buffer.from('0\r\n\r\n')];
};

const CHUNKS = `${event('').length.toString(16)}\r\n${event('')}\r\n0\r\n\r\n`;

/** A batch request with these header lines for its length. */
function framed(lines: string, text = CHUNKS, version = '1.1'): HostileCase['bytes'] {
  return (target) => [
    ...head(`POST /v1/events HTTP/${version}\r\nhost: x\r\ncontent-type: application/json\r\n${lines}`)(
      target,
    ),
    text,
  ];
}

const CASES: Record<string, Omit<HostileCase, 'name'>> = {
  'no HTTP': { status: 400, bytes: () => ['\x16\x03\x01\x00\xa5 bytes'] },
  'another protocol': { status: 400, bytes: () => ['HELO x\r\n\r\n'] },
  'HTTP/2 without a word': { status: 400, bytes: () => ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'] },
  'no host': { status: 400, bytes: head('GET /v1/webhooks HTTP/1.1') },
  'a host that is none': { status: 400, bytes: head('GET /v1/webhooks HTTP/1.1\r\nhost: a b<>') },
  'a host with a user': { status: 400, bytes: head('GET /v1/webhooks HTTP/1.1\r\nhost: a@b/c?d') },
  'a backslash': { status: 400, bytes: head('GET /v1\\webhooks HTTP/1.1\r\nhost: x') },
  'no address': { status: 400, bytes: head('OPTIONS * HTTP/1.1\r\nhost: x') },
  'an invalid absolute target': { status: 400, bytes: head('GET http://[::bad/ HTTP/1.1\r\nhost: x') },
  'two slashes': { status: 404, bytes: head('GET //x/y HTTP/1.1\r\nhost: x') },
  'a broken escape': { status: 404, bytes: head('GET /v1/webhooks/%E0%A4%A HTTP/1.1\r\nhost: x') },
  'U+0000 in the path': { status: 404, bytes: head('GET /v1/webhooks/%00 HTTP/1.1\r\nhost: x') },
  'a tunnel': { status: 405, bytes: head('CONNECT x:1 HTTP/1.1\r\nhost: x') },
  'a trace': { status: 405, bytes: head('TRACE /v1/events HTTP/1.1\r\nhost: x') },
  'an unusual method': { status: 405, bytes: head('PROPFIND /v1/events HTTP/1.1\r\nhost: x') },
  '40 KB of headers': {
    status: 400,
    bytes: head(`GET /v1/webhooks HTTP/1.1\r\nhost: x\r\nx-a: ${'a'.repeat(40_000)}`),
  },
  'two lengths': {
    status: 400,
    bytes: request('/v1/events', '5\r\nhello\r\n0\r\n\r\n', 'transfer-encoding: chunked\r\n'),
  },
  'a length below zero': {
    status: 400,
    bytes: head('POST /v1/events HTTP/1.1\r\nhost: x\r\ncontent-length: -5'),
  },
  'a length beyond numbers': {
    status: 400,
    bytes: head('POST /v1/events HTTP/1.1\r\nhost: x\r\ncontent-length: 99999999999999999999'),
  },
  'broken chunks': {
    status: 400,
    bytes: (target) => [
      ...head(
        'POST /v1/events HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked',
      )(target),
      'zz\r\nhello\r\n',
    ],
  },
  'an expectation': body('/v1/events', '{}', 400, 'expect: 200-maybe\r\n'),
  'two hosts': { status: 400, bytes: head('GET /v1/webhooks HTTP/1.1\r\nhost: x\r\nHOST: y') },
  'one host twice': { status: 400, bytes: head('GET /v1/webhooks HTTP/1.1\r\nhost: x\r\nhost: x') },
  'two hosts in HTTP/1.0': {
    status: 400,
    bytes: head('GET /v1/webhooks HTTP/1.0\r\nhost: x\r\nhost: y'),
  },
  'two keys': {
    status: 400,
    bytes: head('GET /v1/webhooks HTTP/1.1\r\nhost: x\r\nauthorization: Bearer other'),
  },
  'two workspaces': {
    status: 400,
    bytes: head('GET /v1/webhooks HTTP/1.1\r\nhost: x\r\nX-Service-Workspace: other'),
  },
  'two idempotency keys': body('/v1/events', event(''), 400, 'idempotency-key: a\r\nidempotency-key: b\r\n'),
  'two types': body('/v1/events', event(''), 400, 'content-type: text/plain\r\n'),
  'two compressions': body(
    '/v1/events',
    event(''),
    400,
    'content-encoding: identity\r\ncontent-encoding: gzip\r\n',
  ),
  'two positions': {
    status: 400,
    bytes: head('GET /v1/webhooks HTTP/1.1\r\nhost: x\r\nlast-event-id: 1\r\nlast-event-id: 2'),
  },
  'a length twice': body('/v1/events', event(''), 400, `content-length: ${event('').length}\r\n`),
  'lengths in a list': { status: 400, bytes: framed('content-length: 5, 5', 'hello') },
  'a length with a sign': { status: 400, bytes: framed('content-length: +5', 'hello') },
  'a length in hex': { status: 400, bytes: framed('content-length: 0x5', 'hello') },
  'chunks in gzip': { status: 400, bytes: framed('transfer-encoding: gzip, chunked') },
  'chunks, then not': { status: 400, bytes: framed('transfer-encoding: chunked, identity') },
  'chunks by another name': { status: 400, bytes: framed('transfer-encoding: xchunked') },
  'chunks twice': {
    status: 400,
    bytes: framed('transfer-encoding: chunked\r\ntransfer-encoding: chunked'),
  },
  'chunks in HTTP/1.0': { status: 400, bytes: framed('transfer-encoding: chunked', CHUNKS, '1.0') },
  'a space before the colon': { status: 400, bytes: framed('transfer-encoding : chunked') },
  'a folded header': { status: 400, bytes: framed('transfer-encoding:\r\n chunked') },
  'lines without CR': { status: 400, bytes: framed('x-a: b\ntransfer-encoding: chunked') },
  'a CR alone': { status: 400, bytes: framed('x-a: b\rtransfer-encoding: chunked') },
  'U+0000 in a header': { status: 400, bytes: framed('x-a: b\0c\r\ntransfer-encoding: chunked') },
  'chunks without CR': {
    status: 400,
    bytes: framed('transfer-encoding: chunked', CHUNKS.replaceAll('\r\n', '\n')),
  },
  'a line in a chunk extension': {
    status: 400,
    bytes: framed('transfer-encoding: chunked', CHUNKS.replace('\r\n', ';a\nb\r\n')),
  },
  'a chunk beyond numbers': {
    status: 400,
    bytes: framed('transfer-encoding: chunked', `10000000000000000${CHUNKS}`),
  },
  'an address of another host': {
    status: 400,
    bytes: head('GET http://other/v1/webhooks HTTP/1.1\r\nhost: x'),
  },
  'an address of another port': {
    status: 400,
    bytes: head('GET http://x:81/v1/webhooks HTTP/1.1\r\nhost: x'),
  },
  'an address with a user': {
    status: 400,
    bytes: head('GET http://a:b@x/v1/webhooks HTTP/1.1\r\nhost: x'),
  },
  'no key': {
    status: 401,
    bytes: head('POST /v1/events HTTP/1.1\r\nhost: x\r\ncontent-length: 0', false),
  },
  'another type': {
    status: 415,
    bytes: head('POST /v1/events HTTP/1.1\r\nhost: x\r\ncontent-type: text/xml\r\ncontent-length: 0'),
  },
  '100 MB': body('/v1/events', HUNDRED_MB, 413),
  // What is left of it is discarded within the time for that, also on a busy machine.
  '10 MB, the connection kept': {
    status: 413,
    bytes: (target) => [
      ...request('/v1/events', TEN_MB, '', false)(target),
      ...head('GET /v1/nothing HTTP/1.1\r\nhost: x')(target),
    ],
  },
  '100 MB in chunks': {
    status: 413,
    bytes: (target) => [
      ...head(
        'POST /v1/events HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked',
      )(target),
      ...chunked(100_000_000),
    ],
  },
  'a compressed bomb': body(
    '/v1/events',
    gzipSync(Buffer.alloc(200_000_000, 0x20)),
    413,
    'content-encoding: gzip\r\n',
  ),
  'half a gzip': body(
    '/v1/events',
    gzipSync(Buffer.from('{"events":[]}')).subarray(0, 15),
    400,
    'content-encoding: gzip\r\n',
  ),
  'another compression': body('/v1/events', '{}', 415, 'content-encoding: br\r\n'),
  '1,001 events': body('/v1/events', `{"events":[${Array(1001).fill(`{${EVENT}}`)}]}`),
  'a million empty events': body('/v1/events', `{"events":[${Array(1_000_000).fill('{}')}]}`, 413),
  '500,000 faults': body('/v1/events', event(`,"properties":{${fields(500_000, '[]')}}`)),
  '90,000 faults in a batch': body(
    '/v1/events',
    `{"events":[${Array(90).fill(`{${EVENT},"properties":{${fields(1000, '[]')}}}`)}]}`,
  ),
  '600,000 properties': body('/v1/events', event(`,"properties":{${fields(600_000, '1')}}`)),
  'lists 100,000 deep': body('/v1/events', nested('[', ']')),
  'a property 100,000 deep': body('/v1/events', event(`,"properties":{"a":${nested('{"a":', '}')}}`)),
  'a context 100,000 deep': body(
    '/v1/decisioning/decide',
    `{"hashId":"h","context":${nested('{"a":', '}')}}`,
  ),
  'traits 100,000 deep': body('/v1/users', `{"users":[{"userId":"u","traits":${nested('{"a":', '}')}}]}`),
  'variables 100,000 deep': body(
    '/v1/inform/trigger',
    `{"hashId":"h","templateId":"welcome","channel":"sms","variables":${nested('{"a":', '}')}}`,
  ),
  'a subscription 100,000 deep': body('/v1/webhooks', `{"url":${nested('[', ']')},"events":[]}`),
  '__proto__ in properties': body('/v1/events', event(',"properties":{"__proto__":{"a":{"b":1}}}')),
  '__proto__, escaped': body('/v1/events', event(',"properties":{"\\u005f_proto__":{"a":1}}')),
  '__proto__ in an event': body('/v1/events', event(',"__proto__":{"x":1}')),
  '__proto__ at the top': body('/v1/events', `{"events":[{${EVENT}}],"__proto__":{"x":1}}`),
  '__proto__ in traits': body('/v1/users', '{"users":[{"userId":"u","traits":{"__proto__":{"admin":1}}}]}'),
  '__proto__ in a context': body(
    '/v1/decisioning/decide',
    '{"hashId":"h","context":{"__proto__":{"channel":"x"}}}',
  ),
  'two lists of events': body(
    '/v1/events',
    `{"events":[{"userId":"x","event":"e","timestamp":"no","properties":{"a":[1]}}],"events":[{${EVENT}}]}`,
  ),
  'a field twice': body('/v1/events', event(',"userId":"other"')),
  'a field twice, once escaped': body('/v1/events', event(',"\\u0075serId":"other"')),
  'an unpaired surrogate': body(
    '/v1/events',
    '{"events":[{"userId":"\\ud800","event":"e","timestamp":"2026-01-01T00:00:00Z"}]}',
  ),
  'the other half': body('/v1/events', event(',"properties":{"a":"x\\uDFFF"}')),
  'U+0000': body('/v1/users', '{"users":[{"userId":"a\\u0000b"}]}'),
  'bytes that are no UTF-8': body('/v1/events', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])),
  'a long idempotency key': body('/v1/events', event(''), 400, `idempotency-key: ${'k'.repeat(300)}\r\n`),
};

export const HOSTILE_CASES: readonly HostileCase[] = Object.entries(CASES).map(([name, given]) => ({
  name,
  ...given,
}));

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  /** The error body of the first answer. */
  readonly body: Record<string, unknown>;
}

/** Sends bytes over a new connection and reads until the other side closes it. */
export function exchange(port: number, pieces: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', (error) => {
      // The connection may close while more is sent after the answer.
      if (text.includes('requestId')) finish();
      else reject(new Error(`${error.message}, after ${JSON.stringify(text)}`));
    });
    socket.on('close', finish);
    function finish(): void {
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 0);
      const found = /\{.*\}/.exec(text)?.[0] ?? '{}';
      resolve({ status, text, body: JSON.parse(found) });
    }
    const [...left] = pieces;
    const next = (): void => {
      for (let piece = left.shift(); piece !== undefined; piece = left.shift())
        if (!socket.write(piece)) return void socket.once('drain', next);
    };
    next();
  });
}
