import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChannelMessage } from '../../../../src/service/notifications/providers/channel.ts';
import { channelSettings, openChannels } from '../../../../src/service/notifications/providers/settings.ts';
import type { EgressOptions } from '../../../../src/service/platform/egress/egress.ts';
import {
  CONNECT_TIMEOUT_MS,
  EXCHANGE_DEADLINE_MS,
} from '../../../../src/service/platform/egress/exchange.ts';
import { DELIVERY_DEADLINE_MS } from '../../../../src/service/platform/egress/post.ts';
import { DEFAULT_POLICY } from '../../../../src/service/platform/settings.ts';
import { untraced } from '../../../../src/service/platform/tracing/tracing.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../support/peers/certificate.ts';
import { type NameAnswer, startNameServer } from '../../../support/peers/name-server.ts';
import { startFcm } from '../../../support/vendors/vendors.ts';
import { sampleMessage } from './message.ts';

/** The providers that ship with svc, by channel, with their settings for an API at `url`. */
const PROVIDERS: Readonly<
  Record<string, { channel: string; env: (url: string) => Promise<Record<string, string>> }>
> = {
  'twilio-sms': {
    channel: 'sms',
    env: async (url) => ({
      TWILIO_ACCOUNT_SID: 'AC0123456789abcdef',
      TWILIO_AUTH_TOKEN: 'twilio auth token',
      TWILIO_FROM: '+15017122661',
      TWILIO_BASE_URL: url,
    }),
  },
  'whatsapp-cloud': {
    channel: 'whatsapp',
    env: async (url) => ({
      WHATSAPP_ACCESS_TOKEN: 'meta-token',
      WHATSAPP_PHONE_NUMBER_ID: '106540352242922',
      WHATSAPP_BASE_URL: url,
    }),
  },
  sendgrid: {
    channel: 'email',
    env: async (url) => ({
      SENDGRID_API_KEY: 'SG.key',
      SENDGRID_FROM: 'shop@example.com',
      SENDGRID_BASE_URL: url,
    }),
  },
  'fcm-v1': {
    channel: 'push',
    env: async (url) => ({ FCM_SERVICE_ACCOUNT: (await startFcm()).serviceAccount, FCM_BASE_URL: url }),
  },
  generic: {
    channel: 'sms',
    env: async (url) => ({ SVC_SMS_URL: url, SVC_PROVIDER_SECRET: 'the provider secret 1' }),
  },
};
const NAMES = Object.keys(PROVIDERS);
/** Those of which the service asks the name servers itself; `generic` may be in a private network. */
const PUBLIC = NAMES.filter((name) => name !== 'generic');

const MESSAGE: Partial<ChannelMessage> = {
  address: '+15558675310',
  text: 'Hi',
  push: { body: 'Hi' },
  whatsapp: { name: 'hello', language: 'en', parameters: [] },
};

/** Sends a message as the service does: the shipped file, its channel, the agent for public addresses. */
async function send(name: string, url: string, egress: EgressOptions = {}, signal?: AbortSignal) {
  return sendWith(name, await PROVIDERS[name]!.env(url), egress, signal);
}

async function sendWith(
  name: string,
  env: Record<string, string>,
  egress: EgressOptions,
  signal?: AbortSignal,
) {
  const { channel } = PROVIDERS[name]!;
  const settings = channelSettings(env, '/nowhere', [`${channel}=${name}`]);
  const policy = () => ({ ...DEFAULT_POLICY, allowLoopbackWebhooks: true });
  const channels = openChannels(settings, Date.now, policy, untraced, egress);
  onTestFinished(() => channels.close());
  const message = sampleMessage({ ...MESSAGE, channel });
  return channels.forChannel(channel, 'live').send(message, signal ?? new AbortController().signal);
}

async function listening(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

async function nameServer(answer: NameAnswer | undefined): Promise<EgressOptions> {
  const server = await startNameServer(() => answer);
  onTestFinished(() => server.close());
  return { nameServers: [server.address] };
}

describe.each(PUBLIC)('%s: nothing was sent, and the message is sent later, if its name server', (name) => {
  it.each([
    ['SERVFAIL', { code: 2 }, /SERVFAIL/],
    ['REFUSED', { code: 5 }, /REFUSED/],
    ['NXDOMAIN', [], /ENOTFOUND/],
  ] as const)('answers %s', async (_, answer, error) => {
    expect(await send(name, 'https://api.example.com', await nameServer(answer))).toEqual({
      outcome: 'retryable',
      error: expect.stringMatching(error),
    });
  });

  it('does not answer', async () => {
    const options = { ...(await nameServer(undefined)), connectTimeoutMs: 100 };
    expect(await send(name, 'https://api.example.com', options)).toEqual({
      outcome: 'retryable',
      error: expect.stringMatching(/connect timeout/i),
    });
  });
});

describe.each(NAMES)('%s: nothing was sent, and the message is sent later, if the server', (name) => {
  it('has a certificate that is not trusted', async () => {
    const port = await listening(createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }));
    expect(await send(name, `https://localhost:${port}`)).toEqual({
      outcome: 'retryable',
      error: expect.stringMatching(/certificate/),
    });
  });

  it('does not speak TLS', async () => {
    const port = await listening(createTcpServer((socket) => void socket.end('HTTP/1.1 400 Bad\r\n\r\n')));
    expect(await send(name, `https://localhost:${port}`)).toMatchObject({ outcome: 'retryable' });
  });

  it('closes the connection during the TLS handshake', async () => {
    const port = await listening(
      createTcpServer((socket) => void socket.once('data', () => socket.destroy())),
    );
    expect(await send(name, `https://localhost:${port}`)).toMatchObject({ outcome: 'retryable' });
  });

  it('does not answer the TLS handshake', async () => {
    const port = await listening(createTcpServer());
    expect(await send(name, `https://localhost:${port}`, { connectTimeoutMs: 100 })).toEqual({
      outcome: 'retryable',
      error: expect.stringMatching(/connect timeout/i),
    });
  });

  it('is stopped to be waited for during the TLS handshake', async () => {
    const stop = new AbortController();
    const port = await listening(createTcpServer((socket) => void socket.once('data', () => stop.abort())));
    expect(await send(name, `https://localhost:${port}`, {}, stop.signal)).toMatchObject({
      outcome: 'retryable',
    });
  });
});

describe.each(NAMES)('%s: the outcome is unknown, if the server', (name) => {
  it('closes the connection after the first byte of the request', async () => {
    const port = await listening(
      createTcpServer((socket) => void socket.once('data', () => socket.destroy())),
    );
    expect(await send(name, `http://localhost:${port}`)).toMatchObject({ outcome: 'ambiguous' });
  });

  it('is stopped to be waited for after the first byte of the request', async () => {
    const stop = new AbortController();
    const port = await listening(createTcpServer((socket) => void socket.once('data', () => stop.abort())));
    expect(await send(name, `http://localhost:${port}`, {}, stop.signal)).toMatchObject({
      outcome: 'ambiguous',
    });
  });
});

it('fcm-v1: nothing was sent, if the message is no longer waited for while a token is fetched', async () => {
  const stop = new AbortController();
  const port = await listening(createTcpServer((socket) => void socket.once('data', () => stop.abort())));
  const account = JSON.parse((await startFcm()).serviceAccount);
  const token_uri = `http://localhost:${port}/token`;
  const env = { FCM_SERVICE_ACCOUNT: JSON.stringify({ ...account, token_uri }) };
  expect(await sendWith('fcm-v1', env, {}, stop.signal)).toEqual({
    outcome: 'retryable',
    error: 'sending was cancelled',
  });
});

it('a connection that cannot be made fails before the deadline of the exchange', () => {
  expect(CONNECT_TIMEOUT_MS).toBeLessThan(EXCHANGE_DEADLINE_MS - 2000);
  expect(CONNECT_TIMEOUT_MS).toBeLessThan(DELIVERY_DEADLINE_MS - 2000);
});
