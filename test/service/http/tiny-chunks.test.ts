import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readBody } from '../../../src/service/http/body.ts';
import { startTestService } from '../../support/process/service.ts';
import { exchange } from '../../support/scenarios/hostile-requests.ts';

const EVENT = '{"events":[{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}]}';

/** A request whose body arrives in these chunks. */
function request(pieces: Iterable<Uint8Array>, headers: Record<string, string> = {}): IncomingMessage {
  const stream = Object.assign(new PassThrough(), { headers });
  for (const piece of pieces) stream.write(piece);
  stream.end();
  // The part of a request that readBody uses.
  return stream as unknown as IncomingMessage;
}

function* cut(bytes: Buffer, size: (at: number) => number): Iterable<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const next = at + size(at);
    yield bytes.subarray(at, next);
    at = next;
  }
}

test.each([
  ['one piece', () => 1_000_000],
  ['small pieces', () => 100],
  ['large pieces', () => 50_000],
  ['pieces around the copy threshold', (at: number) => 8190 + (at % 5)],
  ['alternating small and large pieces', (at: number) => (at % 3 === 0 ? 7 : 20_000)],
])('reads a body in %s unchanged', async (_, size) => {
  const bytes = Buffer.from(Array.from({ length: 400_000 }, (_value, i) => (i * 7919) % 251));
  expect((await readBody(request(cut(bytes, size)))).equals(bytes)).toBe(true);
  const headers = { 'content-encoding': 'gzip' };
  expect((await readBody(request(cut(gzipSync(bytes), size), headers))).equals(bytes)).toBe(true);
});

test.each(['', 'content-encoding: gzip\r\n'])(
  'rejects a body in chunks of one byte before it is complete (%j)',
  async (encoding) => {
    const service = await startTestService();
    const head =
      `POST /v1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${service.apiKey}\r\n` +
      `x-service-workspace: ${service.workspace}\r\ncontent-type: application/json\r\n${encoding}` +
      'transfer-encoding: chunked\r\nconnection: close\r\n\r\n';
    const chunks = (count: number) => '1\r\n \r\n'.repeat(count);
    const port = Number(new URL(service.url).port);
    const answer = await exchange(port, [head, chunks(20_000), '0\r\n\r\n']);
    expect(answer.body).toMatchObject({ details: [{ field: 'body', message: 'comes in too many pieces' }] });
    if (encoding !== '') return;
    const spread = [...EVENT].map((character) => `1\r\n${character}\r\n`).join('');
    expect((await exchange(port, [head, chunks(5000), spread, '0\r\n\r\n'])).status).toBe(202);
  },
);
