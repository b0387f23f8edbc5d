import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startTestService } from '../../support/process/service.ts';
import { exchange, HOSTILE_CASES } from '../../support/scenarios/hostile-requests.ts';

const portOf = (url: string) => Number(new URL(url).port);

test('every hostile request gets a typed error with a requestId, and the service stays available', async () => {
  const service = await startTestService();
  const target = { ...service, port: portOf(service.url) };
  for (const { name, status, bytes } of HOSTILE_CASES) {
    const answer = await exchange(target.port, bytes(target));
    expect({ name, status: answer.status }).toEqual({ name, status });
    expect(answer.body, name).toMatchObject({
      error: expect.stringMatching(/^[a-z_]+$/),
      code: expect.stringMatching(/^[A-Z_]+$/),
      requestId: expect.stringMatching(/^req_/),
      message: expect.any(String),
    });
    if (answer.body.error === 'invalid_request')
      expect(answer.body.details, name).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ field: expect.any(String), message: expect.any(String) }),
        ]),
      );
  }
  const stored = await service.platform.store.read((tx) => tx.sql.all('SELECT 1 FROM event'));
  expect(stored).toEqual([]);
  expect(({} as Record<string, unknown>).admin).toBeUndefined();
}, 300_000);

test('the answer to a large body leaves the connection usable', async () => {
  const service = await startTestService();
  const target = { ...service, port: portOf(service.url) };
  const kept = HOSTILE_CASES.find(({ name }) => name === '10 MB, the connection kept')!;
  const { text } = await exchange(target.port, kept.bytes(target));
  expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 404']);
});

test('malformed bytes after a request do not replace its answer', async () => {
  const service = await startTestService();
  const body = '{"events":[{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}]}';
  const answer = await exchange(portOf(service.url), [
    `POST /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.apiKey}\r\n` +
      `x-service-workspace: ${service.workspace}\r\ncontent-type: application/json\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}!!malformed\r\n\r\n`,
  ]);
  expect(answer.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 202']);
});

test.each(['', 'content-encoding: gzip\r\n'])('a truncated body ends its request (%j)', async (encoding) => {
  const service = await startTestService();
  const socket = connect(portOf(service.url), '127.0.0.1');
  socket.write(
    `POST /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.apiKey}\r\n` +
      `x-service-workspace: ${service.workspace}\r\ncontent-type: application/json\r\n${encoding}` +
      'content-length: 1000\r\n\r\nabc',
  );
  await new Promise((resolve) => socket.once('connect', resolve));
  socket.destroy();
  // A hanging request would delay the close by its whole grace period, beyond the timeout of the test.
  await service.close(3_600_000);
});

test('lists the first errors of each record of a batch, about a thousand in total', async () => {
  const service = await startTestService();
  const bad = { userId: 1, event: 2, timestamp: 3, properties: { a: [], b: [], c: [] } };
  const good = { userId: 'u', event: 'e', timestamp: '2026-01-01T00:00:00Z' };
  const answer = await service.fetch('/v1/events', {
    body: { events: [good, ...Array(600).fill(bad), good] },
  });
  expect(answer.status).toBe(400);
  const { details } = (await answer.json()) as { details: { index: number; field: string }[] };
  expect(details.slice(0, 6).map(({ index, field }) => `${index} ${field}`)).toEqual([
    '1 userId',
    '1 event',
    '1 timestamp',
    '1 properties.a',
    '1 properties.b',
    '2 userId',
  ]);
  expect(details.length).toBeGreaterThan(800);
  expect(details.length).toBeLessThan(1100);
});

test.each([
  ['chunks', 'POST /v1/events HTTP/1.1\r\nhost: x', 'transfer-encoding: Chunked'],
  ['a target in absolute form', 'POST http://X:80/v1/events HTTP/1.1\r\nhost: x', ''],
])('accepts a request with %s', async (_, start, framing) => {
  const service = await startTestService();
  const text = '{"events":[{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}]}';
  const size = text.length;
  const answer = await exchange(portOf(service.url), [
    `${start}\r\nauthorization: Bearer ${service.apiKey}\r\nx-service-workspace: ${service.workspace}\r\n` +
      `content-type: application/json\r\n${framing || `content-length: ${size}`}\r\nconnection: close\r\n\r\n` +
      (framing ? `${size.toString(16)};x=y\r\n${text}\r\n0\r\n\r\n` : text),
  ]);
  expect(answer.status).toBe(202);
});
