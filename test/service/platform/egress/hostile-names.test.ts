import { expect, it, onTestFinished } from 'vitest';
import { guardedAgent } from '../../../../src/service/platform/egress/guarded-agent.ts';
import { post } from '../../../../src/service/platform/egress/post.ts';
import { directResolver } from '../../../../src/service/platform/egress/resolve.ts';
import { recordConnectionAttempts } from '../../../support/peers/connection-attempts.ts';
import { type NameAnswer, startNameServer } from '../../../support/peers/name-server.ts';
import { startReceiver } from '../../../support/peers/receiver.ts';

const NAME = 'hooks.example.com';
const PUBLIC = '8.8.8.8';

/** Sends deliveries to names of a test name server, and records every address connected to. */
async function world(answer: (name: string, type: 'A' | 'AAAA', turn: number) => NameAnswer | undefined) {
  let turn = 0;
  const server = await startNameServer((name, type) => answer(name, type, turn));
  const target = await startReceiver();
  /** Names passed to the system lookup. */
  const system: string[] = [];
  const names = directResolver([server.address], (name, _options, callback) => {
    system.push(name);
    callback(new Error('the system does not know'), []);
  });
  const connections = recordConnectionAttempts(target.port);
  const agent = (allowLoopback: boolean) =>
    guardedAgent({ allowLoopback, connectTimeoutMs: 1500, resolve: names.resolve });
  const strict = agent(false);
  const loose = agent(true);
  onTestFinished(async () => {
    names.cancel();
    connections.stop();
    await Promise.all([strict.destroy(), loose.destroy(), server.close().catch(() => {}), target.close()]);
  });
  const sendBy = (dispatcher: typeof strict) => (host: string) =>
    post(
      `http://${host}:${target.port}/`,
      Buffer.from('{}'),
      {},
      {
        dispatcher,
        deadlineMs: 1500,
        now: Date.now,
      },
    ).finally(() => turn++);
  return { send: sendBy(strict), sendLoosely: sendBy(loose), connections, target, system, server };
}

/** A chain of CNAMEs from the requested name to an address. */
function chain(length: number, address: string): NameAnswer {
  const name = (i: number) => (i === 0 ? NAME : `c${i}.example.net`);
  return {
    records: [
      ...Array.from({ length }, (_, i) => ({ name: name(i), target: name(i + 1) })),
      { name: name(length), address },
    ],
  };
}

it.each<[string, (type: 'A' | 'AAAA') => NameAnswer]>([
  ['a loopback address', () => ['127.0.0.1']],
  ['a loopback address beside a public one', () => [PUBLIC, '127.0.0.1']],
  ['a public address beside a loopback one', () => ['127.0.0.1', PUBLIC]],
  ['a public IPv4 address and a private IPv6 one', () => [PUBLIC, 'fd00::1']],
  ['a public IPv6 address and a private IPv4 one', () => ['2606:4700::1111', '10.0.0.1']],
  ['the loopback address of IPv6', () => ['::1']],
  ['an IPv4 address inside IPv6', () => ['::ffff:7f00:1']],
  ['a translated IPv4 address', () => ['64:ff9b::7f00:1']],
  ['the metadata service', () => ['169.254.169.254']],
  ['the unspecified address', () => ['0.0.0.0']],
  ['an alias of a private address', () => chain(1, '192.168.1.1')],
  ['a long chain of aliases of a loopback address', () => chain(10, '127.0.0.1')],
  ['an alias of localhost', (type) => (type === 'A' ? chain(2, '127.0.0.1') : chain(2, '::1'))],
  [
    'an additional address of another name',
    () => ({ records: [{ address: PUBLIC }, { name: 'inside.example.org', address: '10.0.0.1' }] }),
  ],
])('does not connect if a name has %s', async (_, answer) => {
  const { send, connections, target, server } = await world((_name, type) => answer(type));
  const { status, error } = await send(NAME);
  expect(status).toBeNull();
  expect(server.queried).toContain(NAME);
  expect(error).toMatch(/public addresses only/);
  expect(connections.attempts).toEqual([]);
  expect(target.received).toEqual([]);
});

it('connects only to addresses of the checked answer', async () => {
  let questions = 0;
  const { send, connections, target } = await world((_name, type) => {
    if (type === 'AAAA') return { records: [] };
    questions++;
    // The address changes with each query (TTL 0).
    return questions % 2 === 1 ? ['203.0.113.7'] : ['127.0.0.1'];
  });
  for (let i = 0; i < 6; i++) expect((await send(NAME)).error).toMatch(/public addresses only/);
  expect(questions).toBe(6);
  expect(connections.attempts).toEqual([]);
  expect(target.received).toEqual([]);
});

it('resolves the name for each connection, so that a name that becomes private is refused', async () => {
  const { sendLoosely, send, connections, target } = await world((_name, type, turn) =>
    type === 'AAAA' ? { records: [] } : turn === 0 ? ['127.0.0.1'] : ['10.0.0.1'],
  );
  expect((await sendLoosely(NAME)).status).toBe(204);
  expect((await send(NAME)).error).toMatch(/resolves to 10\.0\.0\.1/);
  expect(connections.attempts).toEqual([`127.0.0.1 ${target.port}`]);
});

it('checks names in any spelling', async () => {
  const { send, connections, server } = await world(() => ['127.0.0.1']);
  for (const host of [
    'HOOKS.Example.COM',
    'hooks.example.com.',
    'b\u00fccher.example.com',
    'xn--bcher-kva.example.com',
    '\uff48ooks.example.com',
    'hooks\u3002example\u3002com',
    'localtest.me',
    '127.0.0.1.nip.io',
  ])
    expect((await send(host)).error, host).toMatch(/resolves to 127\.0\.0\.1.*public addresses only/);
  expect(server.queried.every((name) => name === name.toLowerCase())).toBe(true);
  expect(connections.attempts).toEqual([]);
});

it('tries a bounded number of the addresses of a name', async () => {
  // Nothing listens on these loopback addresses: each attempt is refused immediately.
  const many = Array.from({ length: 25 }, (_, i) => `127.1.0.${i + 1}`);
  const { sendLoosely, connections } = await world((_name, type) => (type === 'A' ? many : { records: [] }));
  expect((await sendLoosely(NAME)).status).toBeNull();
  expect(connections.attempts.length).toBeGreaterThan(0);
  expect(connections.attempts.length).toBeLessThanOrEqual(8);
});

it.each<[string, NameAnswer | undefined]>([
  ['does not exist', []],
  ['has no address', { records: [] }],
  ['has an alias without an address', { records: [{ name: NAME, target: 'nowhere.example.net' }] }],
  ['is its own alias', { records: [{ name: NAME, target: NAME }] }],
  ['causes SERVFAIL', { code: 2 }],
  ['causes REFUSED', { code: 5 }],
  ['gets no answer', undefined],
])('does not use the system lookup for a name that %s', async (_, answer) => {
  // The system lookup blocks one of Node's four worker threads until a name server answers.
  const { send, connections, system } = await world(() => answer);
  const { status, error } = await send(NAME);
  expect(status).toBeNull();
  expect(error).not.toBe('');
  expect(system).toEqual([]);
  expect(connections.attempts).toEqual([]);
});

it('uses the system lookup if no name server can be reached', async () => {
  const { send, system, server } = await world(() => undefined);
  await server.close();
  expect((await send(NAME)).error).toBe('the system does not know');
  expect(system).toEqual([NAME]);
});
