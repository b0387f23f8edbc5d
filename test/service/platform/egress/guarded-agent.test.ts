import { createServer, type Server } from 'node:net';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { refuseAddress } from '../../../../src/service/platform/egress/address-policy.ts';
import { guardedAgent } from '../../../../src/service/platform/egress/guarded-agent.ts';
import { post } from '../../../../src/service/platform/egress/post.ts';
import type { Resolve } from '../../../../src/service/platform/egress/resolve.ts';
import { recordConnectionAttempts } from '../../../support/peers/connection-attempts.ts';
import { type Receiver, startReceiver } from '../../../support/peers/receiver.ts';
import { REFUSED_HOSTS } from './literals.ts';

const body = Buffer.from('{}');
let receiver: Receiver;
let connections: ReturnType<typeof recordConnectionAttempts>;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());
beforeEach(() => {
  connections = recordConnectionAttempts(receiver.port);
  receiver.received.length = 0;
});
afterEach(() => connections.stop());

async function send(url: string, options: { allowLoopback?: boolean; resolve?: Resolve } = {}) {
  const dispatcher = guardedAgent({ allowLoopback: false, connectTimeoutMs: 2000, ...options });
  try {
    return await post(url, body, {}, { dispatcher, deadlineMs: 5000, now: Date.now });
  } finally {
    await dispatcher.destroy();
  }
}

/** A resolver that answers each call with the next list of addresses, and repeats the last one. */
function resolver(...answers: string[][]): Resolve & { calls: number } {
  const resolve = ((_hostname, _options, callback) => {
    const list = answers[Math.min(resolve.calls, answers.length - 1)]!;
    resolve.calls += 1;
    process.nextTick(() =>
      callback(
        null,
        list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );
  }) as Resolve & { calls: number };
  resolve.calls = 0;
  return resolve;
}

describe('the guarded agent', () => {
  it('connects to loopback if that is allowed (checks the counter)', async () => {
    const result = await send(receiver.url, { allowLoopback: true });
    expect(result).toEqual({ status: 204, error: null, retryAfterMs: null });
    expect(connections.attempts).toEqual([`127.0.0.1 ${receiver.port}`]);
  });

  it('connects to none of the refused literals', async () => {
    const literals = REFUSED_HOSTS.filter((host) => !/[a-z]{5,}/i.test(host.normalize('NFKC')));
    expect(literals.length).toBeGreaterThanOrEqual(80);
    for (const host of literals) {
      const { error } = await send(`http://${host}:${receiver.port}/`);
      expect(error, host).toMatch(/public addresses only/);
    }
    expect(connections.attempts).toEqual([]);
    expect(receiver.received).toEqual([]);
  });

  it('does not connect to a name with a refused address, even besides a public one', async () => {
    for (const addresses of [
      ['127.0.0.1'],
      ['::1'],
      ['10.1.2.3'],
      ['169.254.169.254'],
      ['::ffff:7f00:1'],
      ['fe80::1%eth0'],
      ['64:ff9b::a9fe:a9fe'],
      ['8.8.8.8', '127.0.0.1'],
      ['127.0.0.1', '8.8.8.8'],
      [],
    ]) {
      const { error } = await send(`http://hooks.example.com:${receiver.port}/`, {
        resolve: resolver(addresses),
      });
      expect(error).toMatch(/resolves to .*public addresses only/);
    }
    const { error } = await send(`http://localhost:${receiver.port}/`);
    expect(error).toMatch(/localhost resolves to/);
    expect(connections.attempts).toEqual([]);
  });

  it('connects to the checked address although the name changes in between', async () => {
    const rebinding = resolver(['192.0.2.77'], ['127.0.0.1']);
    const first = await send(`http://rebind.example.com:${receiver.port}/`, { resolve: rebinding });
    expect(first.error).toMatch(/192\.0\.2\.77/);
    const second = await send(`http://rebind.example.com:${receiver.port}/`, { resolve: rebinding });
    expect(second.error).toMatch(/127\.0\.0\.1/);
    expect(rebinding.calls).toBe(2);
    expect(connections.attempts).toEqual([]);
  });

  it('resolves the name once per connection', async () => {
    const resolve = resolver(['127.0.0.1'], ['10.0.0.1']);
    const result = await send(`http://once.example.com:${receiver.port}/`, { allowLoopback: true, resolve });
    expect(result.status).toBe(204);
    expect(resolve.calls).toBe(1);
    expect(connections.attempts).toEqual([`127.0.0.1 ${receiver.port}`]);
  });

  it('does not follow redirects', async () => {
    const target = await startReceiver();
    const followed = recordConnectionAttempts(target.port);
    for (const status of [301, 302, 303, 307, 308]) {
      const source = await startReceiver((response) =>
        response.writeHead(status, { location: target.url }).end(),
      );
      const result = await send(source.url, { allowLoopback: true });
      expect(result.status).toBe(status);
      await source.close();
    }
    expect(target.received).toEqual([]);
    expect(followed.attempts).toEqual([]);
    followed.stop();
    await target.close();
  });

  it('opens no socket for 2,000 generated addresses, in any form', async () => {
    const dispatcher = guardedAgent({
      allowLoopback: false,
      connectTimeoutMs: 2000,
      resolve: (hostname, _options, callback) => {
        const address = addressIn(hostname);
        callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
      },
    });
    let tried = 0;
    await fc.assert(
      fc.asyncProperty(specialAddress, fc.boolean(), async (address, named) => {
        tried += 1;
        const host = named ? nameOf(address) : address.includes(':') ? `[${address}]` : address;
        const { error } = await post(
          `http://${host}:${receiver.port}/`,
          body,
          {},
          {
            dispatcher,
            deadlineMs: 5000,
            now: Date.now,
          },
        );
        expect(error, host).toMatch(/public addresses only/);
      }),
      { numRuns: 2000 },
    );
    await dispatcher.destroy();
    expect(tried).toBe(2000);
    expect(connections.attempts).toEqual([]);
    expect(receiver.received).toEqual([]);
  }, 300_000);

  it('allows public addresses', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('1.1.1.1', '8.8.8.8', '2606:4700::1111', '2a00:1450::1', '203.1.2.3', '99.64.0.1'),
        (address) => refuseAddress(address, { allowLoopback: false }) === null,
      ),
    );
  });
});

describe('post', () => {
  it('reports a reset, a refused port and an unknown name', async () => {
    const torn = await startReceiver((_response, _got, request) => request.socket.destroy());
    expect((await send(torn.url, { allowLoopback: true })).error).toMatch(/closed|reset|hang/i);
    await torn.close();
    expect((await send(torn.url, { allowLoopback: true })).error).toMatch(/ECONNREFUSED/);
    const unknown: Resolve = (_hostname, _options, callback) =>
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.example'), { code: 'ENOTFOUND' }), []);
    expect((await send('http://nowhere.example/', { resolve: unknown })).error).toMatch(/ENOTFOUND/);
  });

  it('ends at the deadline if an answer hangs, before or inside the body', async () => {
    const dispatcher = guardedAgent({ allowLoopback: true, connectTimeoutMs: 2000 });
    const silent = await startReceiver(() => {});
    const stuck = await startReceiver((response) => void response.writeHead(200).write('{'));
    const mute = await listenMute();
    const urls = [silent.url, stuck.url, mute.url];
    for (const url of urls) {
      const result = await post(url, body, {}, { dispatcher, deadlineMs: 150, now: Date.now });
      expect(result).toEqual({ status: null, error: 'no complete answer within 0.15 s', retryAfterMs: null });
    }
    await dispatcher.destroy();
    await Promise.all([silent.close(), stuck.close(), mute.close()]);
  });

  it('reads 64 KiB of an endless answer, returns its status and closes the connection', async () => {
    let written = 0;
    let close = () => {};
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const endless = await startReceiver((response) => {
      response.writeHead(200);
      response.on('close', close);
      const chunk = Buffer.alloc(16 * 1024, 'x');
      const more = () => {
        while (!response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    const result = await send(endless.url, { allowLoopback: true });
    expect(result.status).toBe(200);
    await closed;
    expect(written).toBeLessThan(64 * 1024 * 1024);
    await endless.close();
  });

  it('stops when its signal fires', async () => {
    const dispatcher = guardedAgent({ allowLoopback: true, connectTimeoutMs: 2000 });
    const stop = new AbortController();
    const silent = await startReceiver(() => stop.abort());
    const result = await post(
      silent.url,
      body,
      {},
      {
        dispatcher,
        deadlineMs: 10_000,
        now: Date.now,
        signal: stop.signal,
      },
    );
    expect(result.status).toBeNull();
    expect(result.error).not.toMatch(/no complete answer/);
    await dispatcher.destroy();
    await silent.close();
  });

  it('reports Retry-After', async () => {
    const busy = await startReceiver((response) => response.writeHead(429, { 'retry-after': '120' }).end());
    expect(await send(busy.url, { allowLoopback: true })).toEqual({
      status: 429,
      error: null,
      retryAfterMs: 120_000,
    });
    await busy.close();
  });
});

/** Accepts connections and never answers. */
async function listenMute(): Promise<{ url: string; close(): Promise<void> }> {
  const sockets = new Set<import('node:net').Socket>();
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    sockets.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as import('node:net').AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

const octet = fc.integer({ min: 0, max: 255 });
const word = fc.integer({ min: 0, max: 0xffff }).map((n) => n.toString(16));
const words = (count: number) =>
  fc.array(word, { minLength: count, maxLength: count }).map((list) => list.join(':'));
const v4 = (first: fc.Arbitrary<string>) =>
  fc.tuple(first, octet, octet).map(([head, c, d]) => `${head}.${c}.${d}`);
const specialAddress: fc.Arbitrary<string> = fc.oneof(
  v4(fc.tuple(fc.constantFrom(0, 10, 127), octet).map((pair) => pair.join('.'))),
  v4(fc.integer({ min: 16, max: 31 }).map((b) => `172.${b}`)),
  v4(fc.constantFrom('192.168', '169.254', '198.18', '198.19')),
  v4(fc.integer({ min: 64, max: 127 }).map((b) => `100.${b}`)),
  v4(fc.tuple(fc.integer({ min: 224, max: 255 }), octet).map((pair) => pair.join('.'))),
  words(7).map((rest) => `fd00:${rest}`),
  words(7).map((rest) => `fe80:${rest}`),
  words(7).map((rest) => `ff02:${rest}`),
  words(7).map((rest) => `2002:${rest}`),
  words(6).map((rest) => `2001:0:${rest}`),
  words(6).map((rest) => `2001:db8:${rest}`),
  words(2).map((rest) => `::ffff:${rest}`),
  words(2).map((rest) => `64:ff9b::${rest}`),
  words(2).map((rest) => `2606:4700::5efe:${rest}`),
  words(7).map((rest) => `4000:${rest}`),
);
/** A host name that encodes the address it resolves to. */
const nameOf = (address: string) => `x${Buffer.from(address).toString('hex')}.example.com`;
const addressIn = (name: string) => Buffer.from(name.slice(1).split('.')[0]!, 'hex').toString();
