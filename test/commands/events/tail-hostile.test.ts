import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { follow } from '../../../src/client/follow.ts';
import { randomFrom } from '../../../src/kit/random.ts';

interface Followed {
  readonly waits: number[];
  readonly requests: IncomingMessage[];
  readonly events: string[];
  readonly error: unknown;
}

/** Follows the stream of such a service until it fails or has been opened `times` times; waits take no time. */
async function followed(
  respond: (response: ServerResponse, request: IncomingMessage, turn: number) => void,
  { times = 30, timeoutMs = 5000 } = {},
): Promise<Followed> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    respond(response, request, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ended = new AbortController();
  const waits: number[] = [];
  const clock = {
    now: () => Date.now(),
    sleep: async (ms: number) => {
      waits.push(ms);
      if (waits.length >= times) ended.abort();
    },
  };
  const random = randomFrom('tail');
  const client = createClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    workspace: 'ws_1',
    apiKey: 'sk_test_x',
    idempotent: false,
    timeoutMs,
    maxRetries: 5,
    clock,
    random,
    userAgent: 'test',
  });
  onTestFinished(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  const events: string[] = [];
  try {
    const options = { client, clock, random, maxRetries: 5, signal: ended.signal, onState: () => {} };
    for await (const { data } of follow(options)) events.push(data!);
  } catch (error) {
    return { waits, requests, events, error };
  }
  return { waits, requests, events, error: undefined };
}

const sse = (response: ServerResponse, text: string) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(text);
};

describe('the live stream of a hostile service', () => {
  it('is not reopened immediately, for any value of `retry`', async () => {
    const { waits, events } = await followed((response, _, turn) =>
      sse(response, `retry: ${turn % 2 ? 0 : 999_999_999}\nid: ${turn}\ndata: {}\n\n`),
    );
    expect(events).toHaveLength(30);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
  });

  it('is abandoned after increasing pauses if it sends `retry: 0` and ends each time', async () => {
    const { waits, requests, error } = await followed((response) => sse(response, 'retry: 0\nid: 1\n\n'));
    expect(error).toMatchObject({ reason: 'lost' });
    expect(requests).toHaveLength(6);
    expect(waits.toSorted((a, b) => a - b)).toEqual(waits);
    expect(waits.at(-1)).toBeGreaterThanOrEqual(8000);
  });

  it.each(['Infinity', '1e300', '-1', '99999999999999999999', 'never', '0'])(
    'is waited for a time that ends at Retry-After: %s',
    async (retryAfter) => {
      const { waits, requests } = await followed((response) => {
        response.writeHead(503, { 'retry-after': retryAfter }).end();
      });
      expect(requests).toHaveLength(6);
      for (const wait of waits) {
        expect(wait).toBeGreaterThanOrEqual(500);
        expect(wait).toBeLessThanOrEqual(30_500);
      }
    },
  );

  it('is resumed after the last id that fits into a header', async () => {
    const ids = ['ünï✓', 'x'.repeat(2000), 'a\u0001b', `e\u{1f600}`];
    const { requests, error } = await followed(
      (response, _, turn) => sse(response, `id: ${ids[turn - 1] ?? ''}\ndata: ${turn}\n\n`),
      { times: 5 },
    );
    expect(error).toBeUndefined();
    const sent = requests.map(({ headers }) => headers['last-event-id'] as string | undefined);
    const utf8 = sent.map((id) => id && Buffer.from(id, 'latin1').toString());
    expect(utf8).toEqual([undefined, 'ünï✓', 'ünï✓', 'ünï✓', 'e\u{1f600}']);
  });

  it('does not hang if a refusal has an endless body', async () => {
    const { error } = await followed(
      (response) => {
        response.writeHead(403, { 'content-type': 'application/json' }).write('{');
      },
      { timeoutMs: 300, times: 7 },
    );
    expect(error).toBeInstanceOf(Error);
  });
});
