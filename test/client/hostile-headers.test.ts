import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { randomFrom } from '../../src/kit/random.ts';
import { runSvc } from '../support/process/run-svc.ts';
import { tempDir } from '../support/temp.ts';

const NUMBERS = ['0', '-0', '1', '50000000', '2147483647', '4294967296', '999999999999999', '9'.repeat(40)];
const TEXTS = ['', 'NaN', 'Infinity', '1e309', '0x10', '1.5', ' 7 ', '\u00e9\u00ff', 'x'.repeat(4000)];
const DATES = [
  'Thu, 01 Jan 1970 00:00:00 GMT',
  'Sat, 13 Sep 275760 00:00:00 GMT',
  'Fri, 31 Dec 99999 23:59:59 GMT',
  'Mon, 99 Foo 2026 99:99:99 GMT',
];
const VALUES = [...NUMBERS, ...TEXTS, ...DATES];
const RATE = ['X-Service-RateLimit-Limit', 'X-Service-RateLimit-Remaining', 'X-Service-RateLimit-Reset'];

/** Every set of headers: each value in one header, in all of a kind, and the combinations that once did harm. */
const HEADERS: readonly string[][] = [
  ...VALUES.map((value) => RATE.map((name) => `${name}: ${value}`)),
  ...NUMBERS.map((limit) => [`${RATE[0]}: ${limit}`, `${RATE[1]}: 0`, `${RATE[2]}: 1`]),
  ...NUMBERS.map((limit) => [`${RATE[0]}: ${limit}`, `${RATE[1]}: 5`, `${RATE[2]}: ${Date.now() + 9e14}`]),
  ...[...TEXTS, ...DATES].map((value) => [
    `Date: ${value}`,
    `${RATE[0]}: 5`,
    `${RATE[1]}: 4`,
    `${RATE[2]}: 9`,
  ]),
  ...VALUES.map((value) => [`X-Service-Region: ${value}`, `X-Service-Request-Id: ${value}`]),
  ...VALUES.map((value) => [`Retry-After: ${value}`]),
  ...TEXTS.map((value) => [`Content-Type: ${value}`]),
  [
    'X-Service-RateLimit-Limit: 5',
    'X-Service-RateLimit-Limit: 2147483647',
    'X-Service-Request-Id: a',
    'X-Service-Request-Id: b',
  ],
];

/** A service that accepts everything, with these headers, and says how often it did. */
async function service(headers: readonly string[], status = '202 Accepted') {
  let answered = 0;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (;;) {
        const end = received.indexOf('\r\n\r\n');
        if (end < 0) return;
        const length = Number(/content-length: (\d+)/i.exec(received.slice(0, end))?.[1] ?? 0);
        if (received.length < end + 4 + length) return;
        const body = Buffer.from(received.slice(end + 4, end + 4 + length), 'latin1').toString();
        received = received.slice(end + 4 + length);
        answered++;
        const count = (body.match(/"userId"/g) ?? []).length;
        const json = JSON.stringify({ accepted: count, requestId: 'r', webhooks: [] });
        const own = headers.some((line) => /^content-length/i.test(line))
          ? []
          : [`Content-Length: ${json.length}`];
        socket.write(
          Buffer.from([`HTTP/1.1 ${status}`, ...own, ...headers, '', json].join('\r\n'), 'latin1'),
        );
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const env = {
    SVC_BASE_URL: `http://127.0.0.1:${port}`,
    SVC_WORKSPACE: 'ws_1',
    SVC_API_KEY: 'sk_test_x',
    SVC_REGION: 'eu',
  };
  return { env, answered: () => answered };
}

function events(home: string, count: number): string {
  const file = join(home, 'events.ndjson');
  const line = (n: number) => `{"userId":"u${n}","event":"e","timestamp":"2026-01-01T00:00:00Z"}\n`;
  writeFileSync(file, Array.from({ length: count }, (_, n) => line(n)).join(''));
  return file;
}

describe('with any response headers', () => {
  it('an import reports what was accepted, with bounded memory', async () => {
    const before = process.memoryUsage().rss;
    for (const headers of HEADERS.filter(([line]) => /^X-Service-RateLimit-Limit: (\d|N)/.test(line!))) {
      const { env, answered } = await service(headers);
      const home = tempDir();
      // Two requests where the limit leaves room for them; a limit of nothing would be waited for.
      const slow = /Limit: (-?0|1)\r?$|Remaining: [05]$/m.test(headers.join('\n'));
      const file = events(home, slow ? 5 : 10);
      const run = await runSvc(['events', 'import', file, '--json', '--batch-size', '5'], { env, home });
      expect(run.code, `${headers.join('; ').slice(0, 300)}\n${run.stderr}`).toBe(0);
      const accepted = slow ? 5 : 10;
      expect(JSON.parse(run.stdout)).toMatchObject({
        accepted,
        unsent: 0,
        rejected: 0,
        requests: answered(),
      });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });

  it('other commands exit according to the response and print its limits', async () => {
    for (const headers of HEADERS) {
      const { env } = await service(headers, '200 OK');
      const home = tempDir();
      for (const argv of [
        ['events', 'send', '--user-id', 'u', '--event', 'e', '--show-limits'],
        ['limits'],
        ['limits', '--json'],
      ]) {
        const { code, stderr } = await runSvc(argv, { env, home });
        expect(code, `${argv.join(' ')}: ${headers.join('; ').slice(0, 300)}\n${stderr}`).toBe(0);
        expect(stderr).not.toMatch(/unexpected|Invalid|undefined/);
      }
    }
  });

  it('a 429 with any Retry-After is retried or given up, never immediately and without a crash', async () => {
    for (const value of VALUES) {
      const { env, answered } = await service([`Retry-After: ${value}`], '429 Too Many Requests');
      const waits: number[] = [];
      let now = Date.now();
      const clock = {
        now: () => now,
        sleep: async (ms: number) => {
          waits.push(ms);
          now += ms;
        },
      };
      const client = createClient({
        baseUrl: env.SVC_BASE_URL,
        workspace: 'ws_1',
        apiKey: 'sk_test_x',
        idempotent: false,
        timeoutMs: 5000,
        maxRetries: 2,
        clock,
        random: randomFrom('headers'),
        userAgent: 'test',
      });
      await expect(client.call('listWebhooks')).rejects.toMatchObject({ status: 429 });
      await client.close();
      expect(answered()).toBe(3);
      for (const wait of waits) {
        expect(wait).toBeGreaterThan(0);
        expect(wait).toBeLessThan(400 * 24 * 3600_000);
      }
    }
  });

  it.each([
    ['Content-Length: 99999999999999999999'],
    ['Content-Length: -1'],
    ['Content-Length: 5', 'Content-Length: 7'],
    ['Content-Length: 5', 'Transfer-Encoding: chunked'],
    ['Transfer-Encoding: gzip'],
    ['X-Large: '.padEnd(200_000, 'x')],
    ['X-Bad\u0000: 1'],
  ])('a response that is not HTTP is not a success (%#)', async (...headers) => {
    const { env } = await service(headers.map(String));
    const home = tempDir();
    const argv = ['events', 'import', events(home, 5), '--json', '--max-retries', '0', '--timeout', '2'];
    const { code, stdout } = await runSvc([...argv, '--max-wait', '1s'], { env, home });
    expect([5, 6, 7]).toContain(code);
    expect(JSON.parse(stdout)).toMatchObject({ accepted: 0, unsent: 5 });
  });
});
