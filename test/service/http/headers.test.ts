import fc from 'fast-check';
import { expect, test } from 'vitest';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { extremeValue } from '../../support/scenarios/extreme-headers.ts';
import { exchange } from '../../support/scenarios/hostile-requests.ts';

const EVENT = '{"events":[{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}]}';

/** Sends one request with these headers, in Latin-1. */
async function send(service: TestService, start: string, headers: Record<string, string>, body = '') {
  const all = {
    host: 'x',
    authorization: `Bearer ${service.apiKey}`,
    'x-service-workspace': service.workspace,
    'content-type': 'application/json',
    ...(body === '' ? {} : { 'content-length': String(body.length) }),
    connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const bytes = Buffer.from(`${start} HTTP/1.1\r\n${lines.join('')}\r\n${body}`, 'latin1');
  return exchange(Number(new URL(service.url).port), [bytes]);
}

// Without content-length, which has a separate test.
const HEADER_NAMES = [
  'host',
  'authorization',
  'x-service-workspace',
  'idempotency-key',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'last-event-id',
  'expect',
  'accept',
  'accept-encoding',
  'upgrade',
  'range',
  'if-none-match',
  'if-modified-since',
  'x-forwarded-for',
  'x-http-method-override',
];

test('no header value causes an internal error', async () => {
  const service = await startTestService();
  const answers = new Map<number, number>();
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...HEADER_NAMES), extremeValue, async (name, value) => {
      const { status, body } = await send(service, 'POST /v1/events', { [name]: value }, EVENT);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      expect([202, 400, 401, 403, 409, 415], `${name}: ${value}`).toContain(status);
      expect(body.requestId).toMatch(/^req_/);
    }),
    { numRuns: 600 },
  );
  expect([...answers.keys()]).toEqual(expect.arrayContaining([202, 400, 401, 403, 415]));
  const { status } = await send(service, 'POST /v1/events', {}, EVENT);
  expect(status).toBe(202);
}, 300_000);

test('a repeated request is answered although its Host header is invalid', async () => {
  const service = await startTestService();
  const headers = { host: '4294967296', 'idempotency-key': 'k1' };
  for (const replayed of [false, true]) {
    const { status, text } = await send(service, 'POST /v1/events', headers, EVENT);
    expect(status).toBe(202);
    expect(/idempotent-replayed: true/i.test(text)).toBe(replayed);
  }
});

test.each(['x\\y', '1\\23456', 'x/y', 'x?y', 'x#y', 'u@x', 'x y', '[::1', 'x:8a', 'x%2', '<x>'])(
  'refuses the Host header %s, which would change what the request is for',
  async (host) => {
    const service = await startTestService();
    const { status, body } = await send(service, 'POST /v1/events', { host }, EVENT);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  },
);

test('refuses a parameter that is given twice, and names it', async () => {
  const service = await startTestService();
  const since = 'since=2026-01-01T00:00:00Z&since=2026-02-01T00:00:00Z';
  for (const query of ['limit=5&limit=6', 'limit=5&limit=5', since, 'since=&since=']) {
    const { status, body } = await send(service, `GET /v1/decisions?${query}`, {});
    const field = query.split('=')[0];
    expect([query, status, body.details]).toEqual([query, 400, [{ field, message: 'must be given once' }]]);
  }
  expect((await send(service, 'GET /v1/decisions?limit=5', {})).status).toBe(200);
});

test('answers under any Host header that is one', async () => {
  const service = await startTestService();
  for (const host of ['x', 'X.Example', 'a_b', '127.0.0.1:80', '[::1]:4010', "a!$&'()*+,;=b"])
    expect([host, (await send(service, 'POST /v1/missing', { host }, EVENT)).status]).toEqual([host, 404]);
});

test('rejects every content-length that does not match the body', async () => {
  const service = await startTestService();
  await fc.assert(
    fc.asyncProperty(extremeValue, async (value) => {
      // Without a body, a valid length would keep the connection open.
      fc.pre(!/^\s*0*[1-9]\d{0,18}\s*$/.test(value));
      const { status } = await send(service, 'POST /v1/events', { 'content-length': value });
      expect([400, 413], value).toContain(status);
    }),
    { numRuns: 300 },
  );
}, 300_000);

test('an idempotency key is used unchanged or rejected', async () => {
  const service = await startTestService();
  await fc.assert(
    fc.asyncProperty(extremeValue, async (value) => {
      // Surrounding whitespace is not part of a value (RFC 9110, 5.5).
      const key = value.replace(/^[ \t]+|[ \t]+$/g, '');
      const valid = /^[\x21-\x7e]{1,255}$/.test(key);
      const first = await send(service, 'POST /v1/events', { 'idempotency-key': value }, EVENT);
      expect(first.status, value).toBe(valid ? 202 : 400);
      if (!valid) return;
      const again = await send(service, 'POST /v1/events', { 'idempotency-key': value }, EVENT);
      expect(again.text).toMatch(/idempotent-replayed: true/i);
    }),
    { numRuns: 200 },
  );
}, 300_000);

test('a stream starts at an existing position for any Last-Event-ID', async () => {
  const service = await startTestService();
  await send(service, 'POST /v1/events', {}, EVENT);
  await fc.assert(
    fc.asyncProperty(extremeValue, async (value) => {
      const stop = new AbortController();
      const answer = await fetch(`${service.url}/v1/events/stream`, {
        headers: {
          authorization: `Bearer ${service.apiKey}`,
          'x-service-workspace': service.workspace,
          'last-event-id': value.trim(),
        },
        signal: stop.signal,
      });
      expect(answer.status).toBe(200);
      const reader = answer.body!.getReader();
      const { value: chunk } = await reader.read();
      expect(new TextDecoder().decode(chunk)).toMatch(/^retry: 1000\nid: [01]\n\n/);
      stop.abort();
    }),
    { numRuns: 60 },
  );
}, 300_000);
