import type { LookupAddress } from 'node:dns';
import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { guardedAgent } from '../../../../src/service/platform/egress/guarded-agent.ts';
import { post } from '../../../../src/service/platform/egress/post.ts';
import { directResolver } from '../../../../src/service/platform/egress/resolve.ts';
import { recordConnectionAttempts } from '../../../support/peers/connection-attempts.ts';
import { startNameServer } from '../../../support/peers/name-server.ts';
import { startReceiver } from '../../../support/peers/receiver.ts';

async function nameServer(answer: (name: string) => string[] | undefined) {
  const server = await startNameServer(answer);
  onTestFinished(() => server.close());
  return server;
}

const ask = (resolve: ReturnType<typeof directResolver>['resolve'], name: string) =>
  new Promise<{ code: string | undefined; addresses: LookupAddress[] }>((done) =>
    resolve(name, { all: true }, (error, addresses) => done({ code: error?.code, addresses })),
  );

describe('directResolver', () => {
  it('queries the name servers and returns all addresses', async () => {
    const server = await nameServer((name) =>
      name === 'hooks.example.com' ? ['192.0.2.1', '192.0.2.2'] : [],
    );
    const resolve = directResolver([server.address]).resolve;
    expect(await ask(resolve, 'hooks.example.com')).toEqual({
      code: undefined,
      addresses: [
        { address: '192.0.2.1', family: 4 },
        { address: '192.0.2.2', family: 4 },
      ],
    });
    expect(await ask(resolve, 'nowhere.example.com')).toEqual({ code: 'ENOTFOUND', addresses: [] });
    expect((await ask(resolve, 'localhost')).addresses.length).toBeGreaterThan(0);
    expect(server.queried).not.toContain('localhost');
  });

  it('is not delayed by unanswered names, and does not block the disk', async () => {
    const target = await startReceiver();
    onTestFinished(() => target.close());
    const server = await nameServer((name) => (name.startsWith('dead') ? undefined : ['127.0.0.1']));
    const names = directResolver([server.address]);
    const dispatcher = guardedAgent({
      allowLoopback: true,
      connectTimeoutMs: 60_000,
      resolve: names.resolve,
    });
    const stop = new AbortController();
    // One listener per attempt in progress, as in the deliverer.
    setMaxListeners(0, stop.signal);
    const send = (host: string) =>
      post(
        `http://${host}.example.com:${target.port}/`,
        Buffer.from('{}'),
        {},
        {
          dispatcher,
          deadlineMs: 60_000,
          now: Date.now,
          signal: stop.signal,
        },
      );
    let ended = 0;
    const dead = [...Array(40)].map((_, i) => send(`dead${i}`).finally(() => ended++));
    await readFile(import.meta.filename);
    expect((await send('good')).status).toBe(204);
    expect(ended).toBe(0);
    stop.abort();
    names.cancel();
    await Promise.all(dead);
    await dispatcher.destroy();
  });

  it('does not connect to a name with a private address', async () => {
    const server = await nameServer(() => ['10.1.2.3']);
    const connections = recordConnectionAttempts(80);
    const dispatcher = guardedAgent({
      allowLoopback: false,
      connectTimeoutMs: 1000,
      resolve: directResolver([server.address]).resolve,
    });
    const options = { dispatcher, deadlineMs: 5000, now: Date.now };
    const { error } = await post('http://inside.example.com/', Buffer.from('{}'), {}, options);
    expect(error).toContain('resolves to 10.1.2.3');
    expect(connections.attempts).toEqual([]);
    connections.stop();
    await dispatcher.destroy();
  });
});
