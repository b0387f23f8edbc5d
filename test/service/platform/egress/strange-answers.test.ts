import type { Socket } from 'node:net';
import fc from 'fast-check';
import { expect, it, onTestFinished } from 'vitest';
import { guardedAgent } from '../../../../src/service/platform/egress/guarded-agent.ts';
import { post } from '../../../../src/service/platform/egress/post.ts';
import { startRawServer } from '../../../support/peers/raw-server.ts';
import { extremeValue } from '../../../support/scenarios/extreme-headers.ts';

const status = fc.oneof(
  fc.integer({ min: 0, max: 1200 }).map((code) => String(code).padStart(3, '0')),
  fc.constantFrom(
    '000',
    '099',
    '100',
    '101',
    '102',
    '200',
    '204',
    '205',
    '304',
    '999',
    '0200',
    '-1',
    '2e2',
    '',
  ),
);
const statusLine = fc
  .tuple(
    fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/0.9', 'HTTP/2.0', 'http/1.1', 'ICY', 'RTSP/1.0'),
    status,
  )
  .map(([version, code]) => `${version} ${code} x\r\n`);
const header = fc
  .tuple(
    fc.constantFrom(
      'content-length',
      'transfer-encoding',
      'content-encoding',
      'retry-after',
      'connection',
      'keep-alive',
      'upgrade',
      'location',
      'trailer',
      'date',
    ),
    fc.oneof(
      extremeValue,
      fc.constantFrom(
        'chunked',
        'gzip',
        'close',
        'keep-alive',
        'upgrade',
        'timeout=5',
        'timeout=-1',
        '3',
        '0',
      ),
    ),
  )
  .map(([name, value]) => `${name}: ${value}\r\n`);
const body = fc.oneof(
  fc.constantFrom(
    '',
    'abc',
    '3\r\nabc\r\n0\r\n\r\n',
    '0\r\nretry-after: 5\r\n\r\n',
    '-1\r\n',
    'ffffffffffffffff\r\n',
  ),
  fc.string({ maxLength: 20 }),
);
const answers = fc
  .array(fc.tuple(statusLine, fc.array(header, { maxLength: 4 }), body), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.map(([line, headers, text]) => `${line}${headers.join('')}\r\n${text}`).join(''));

it('any answer is a result, and the next delivery succeeds', async () => {
  let answer = '';
  const then = (socket: Socket) => socket.end(Buffer.from(answer, 'latin1'));
  const strange = await startRawServer(then);
  const good = await startRawServer((socket) => socket.write('HTTP/1.1 204 x\r\n\r\n'));
  const dispatcher = guardedAgent({ allowLoopback: true, connectTimeoutMs: 5000 });
  onTestFinished(async () => {
    await dispatcher.destroy();
    await Promise.all([strange.close(), good.close()]);
  });
  const options = { dispatcher, deadlineMs: 5000, now: Date.now };
  const send = (url: string) => post(url, Buffer.from('{}'), {}, options);
  await fc.assert(
    fc.asyncProperty(answers, async (text) => {
      answer = text;
      const result = await send(strange.url);
      if (result.status === null) expect(result.error).toMatch(/./);
      else expect(result.status).toBeGreaterThanOrEqual(200);
      expect(result.error ?? '').not.toMatch(/no complete answer within/);
      expect((await send(good.url)).status).toBe(204);
    }),
    { numRuns: 500 },
  );
}, 300_000);
