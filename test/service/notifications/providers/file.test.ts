import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  fillJson,
  fillText,
  MissingValue,
} from '../../../../src/service/notifications/providers/file/fill.ts';
import {
  loadProvider,
  SHIPPED_PROVIDERS,
} from '../../../../src/service/notifications/providers/file/load.ts';
import { anyOutgoing, publicOutgoing } from '../../../../src/service/notifications/providers/outgoing.ts';
import { providerChannel, requestFor } from '../../../../src/service/notifications/providers/provider.ts';
import { openChannels } from '../../../../src/service/notifications/providers/settings.ts';
import { DEFAULT_POLICY } from '../../../../src/service/platform/settings.ts';
import { untraced } from '../../../../src/service/platform/tracing/tracing.ts';
import { startReceiver } from '../../../support/peers/receiver.ts';
import { ROOT } from '../../../support/process/run-svc.ts';
import { tempDir } from '../../../support/temp.ts';
import { startVendor } from '../../../support/vendors/vendor.ts';
import { sampleMessage } from './message.ts';

const MINIMAL = {
  name: 'mine',
  channels: ['sms'],
  settings: { key: { env: 'MY_KEY', description: 'Key', secret: true } },
  request: { url: 'https://api.example.org/send/{{to}}', json: { text: '{{text}}' } },
  authentication: { type: 'bearer', token: '{{settings.key}}' },
};

function fileWith(change: object): string {
  const path = join(tempDir(), 'mine.json');
  writeFileSync(path, JSON.stringify({ ...MINIMAL, ...change }));
  return path;
}
const load = (change: object = {}, env: Record<string, string> = { MY_KEY: 'secret-key' }) =>
  loadProvider('sms', fileWith(change), env);

describe('a provider file', () => {
  it.each([
    [{ channels: ['fax'] }, /channels\.0 /],
    [{ extra: 1 }, /extra|unrecognized/i],
    [{ request: { url: 'https://api.example.org/', json: {}, form: {} } }, /either json or form/],
    [{ request: { url: 'https://{{to}}.example.org/', json: {} } }, /request\.url must begin/],
    [{ request: { url: 'https://api.example.org{{to}}/', json: {} } }, /request\.url must begin/],
    [{ request: { url: 'https://u@api.example.org/', json: {} } }, /request\.url must begin/],
    [
      { request: { url: 'https://api.example.org/', json: { a: '{{name}}' } } },
      /\{\{name\}\} is not a value/,
    ],
    [
      { request: { url: 'https://api.example.org/', json: { a: '{{settings.other}}' } } },
      /settings\.other is used/,
    ],
    [{ name: 'Not A Name' }, /name /],
  ])('%j is refused with the place of the error', (change, words) => {
    expect(() => load(change)).toThrow(words);
  });

  it('that does not exist, is not JSON, or is for another channel is refused', () => {
    for (const name of ['nope', 'constructor', '__proto__'])
      expect(() => loadProvider('sms', name, {})).toThrow(
        new RegExp(`unknown provider ${name}: .*twilio-sms`),
      );
    const path = join(tempDir(), 'x.json');
    writeFileSync(path, '{');
    expect(() => loadProvider('sms', path, {})).toThrow(/is not JSON/);
    expect(() => loadProvider('email', 'twilio-sms', {})).toThrow(/is for sms, and not for email/);
  });

  it('needs its settings, from the environment or from files that nobody else may read', () => {
    expect(() => load({}, {})).toThrow('provider mine requires MY_KEY (Key), or MY_KEY_FILE');
    const secret = join(tempDir(), 'key');
    writeFileSync(secret, 'from a file\n', { mode: 0o600 });
    expect(load({}, { MY_KEY_FILE: secret }).settings).toEqual({ key: 'from a file' });
    chmodSync(secret, 0o640);
    expect(() => load({}, { MY_KEY_FILE: secret })).toThrow(`chmod 600 ${secret}`);
    expect(() => load({}, { MY_KEY_FILE: `${secret}-missing` })).toThrow(/MY_KEY_FILE: .*ENOENT/);
  });

  it('with a key that cannot be used is refused at the start, without the key in the message', () => {
    const account = {
      project_id: 'p',
      client_email: 'a@b',
      token_uri: 'https://x',
      private_key: 'PRIVATE',
    };
    const start = () => loadProvider('push', 'fcm-v1', { FCM_SERVICE_ACCOUNT: JSON.stringify(account) });
    expect(start).toThrow('FCM_SERVICE_ACCOUNT: private_key is not a private key in PEM');
    expect(start).not.toThrow(/PRIVATE/);
    expect(() => loadProvider('push', 'fcm-v1', { FCM_SERVICE_ACCOUNT: '{"a": KEY}' })).toThrow(
      'FCM_SERVICE_ACCOUNT is not a JSON object',
    );
    const mail = { SENDGRID_API_KEY: 'k', SENDGRID_FROM: 'a@b.c', SENDGRID_VERIFICATION_KEY: 'no key' };
    expect(() => loadProvider('email', 'sendgrid', mail)).toThrow(
      /SENDGRID_VERIFICATION_KEY is not a public key/,
    );
  });

  it('ships for each name in the list, with a page that names its settings', () => {
    const shipped = readdirSync(join(ROOT, 'src/service/notifications/providers/file/shipped'));
    expect(shipped.map((name) => name.replace('.json', '')).sort()).toEqual([...SHIPPED_PROVIDERS].sort());
    for (const name of SHIPPED_PROVIDERS) {
      const file = JSON.parse(
        readFileSync(join(ROOT, `src/service/notifications/providers/file/shipped/${name}.json`), 'utf8'),
      );
      const page = readFileSync(join(ROOT, `docs/providers/${name}.md`), 'utf8');
      for (const { env } of Object.values(file.settings as Record<string, { env: string }>))
        expect(page).toContain(env.replace('{CHANNEL}', 'SMS'));
      expect(page).toContain('What could not be tried');
    }
  });
});

describe('a template', () => {
  it('keeps types, leaves out what is absent, repeats lists, and never expands values', () => {
    const values = { text: '{{to}}', count: 3, list: ['a', 'b'], empty: [], data: { k: 'v' } };
    const template = {
      plain: 'x {{text}} y',
      count: '{{count}}',
      data: '{{data}}',
      gone: '{{missing?}}',
      each: { $each: 'list', value: { v: '{{item}}' } },
      when: { $when: 'empty', value: 1 },
      array: [{ $when: 'missing', value: 1 }, 2],
    };
    expect(fillJson(template, values)).toEqual({
      plain: 'x {{to}} y',
      count: 3,
      data: { k: 'v' },
      each: [{ v: 'a' }, { v: 'b' }],
      array: [2],
    });
    expect(() => fillText('{{missing}}', values)).toThrow(MissingValue);
    expect(fillText('[{{missing?}}]', values)).toBe('[]');
  });

  it('cannot be led to another host or path by an address', () => {
    const hostile = sampleMessage({ channel: 'sms', address: '@evil.example/../../?x=1#y', text: '"}' });
    const { url, body } = requestFor(load(), hostile);
    expect(new URL(url).origin).toBe('https://api.example.org');
    expect(url).toBe('https://api.example.org/send/%40evil.example%2F..%2F..%2F%3Fx%3D1%23y');
    expect(JSON.parse(body.toString())).toEqual({ text: '"}' });
  });
});

describe('requests to a provider', () => {
  const { signal } = new AbortController();
  const parts = { tracing: untraced, deadlineMs: 10_000, now: Date.now };

  it('go to public addresses only, over https, unless the file says that its network is private', async () => {
    const receiver = await startReceiver();
    const to = (change: object) =>
      load(
        {
          settings: { ...MINIMAL.settings, base: { env: 'MY_BASE', description: 'Base' } },
          request: { url: '{{settings.base}}/send', json: {} },
          ...change,
        },
        { MY_KEY: 'k', MY_BASE: receiver.url },
      );
    const guarded = providerChannel(to({}), { ...parts, outgoing: publicOutgoing(() => DEFAULT_POLICY) });
    expect(await guarded.send(sampleMessage({ channel: 'sms' }), signal)).toMatchObject({
      outcome: 'retryable',
      error: expect.stringContaining('must be an https URL'),
    });
    expect(receiver.received).toEqual([]);
    const open = providerChannel(to({ network: 'private' }), { ...parts, outgoing: anyOutgoing() });
    expect(await open.send(sampleMessage({ channel: 'sms' }), signal)).toEqual({ outcome: 'accepted' });
    await Promise.all([guarded.close(), open.close(), receiver.close()]);
  });

  it.each(['http://sms.example.org', 'https://10.1.2.3', 'https://gateway.internal', 'https://[fd00::1]'])(
    'to %s are refused at the start, unless the file says that its network is private',
    (base) => {
      const to = (network: object) =>
        load(
          {
            settings: { ...MINIMAL.settings, base: { env: 'MY_BASE', description: 'Base' } },
            request: { url: '{{settings.base}}/send', json: {} },
            ...network,
          },
          { MY_KEY: 'k', MY_BASE: base },
        );
      const open = (network: object) =>
        openChannels({ outboxFile: '/o', providers: {}, chosen: [to(network)] }, Date.now);
      expect(() => open({})).toThrow(/request\.url .*"network": "private"/);
      expect(open({ network: 'private' }).configured).toEqual(['sms']);
    },
  );

  it('with OAuth client credentials carry the token that they got', async () => {
    const vendor = await startVendor(
      ({ path, headers, body }) => {
        if (path === '/token')
          return body === 'grant_type=client_credentials&client_id=me&client_secret=secret-key&scope=send'
            ? undefined
            : body;
        return headers.authorization === 'Bearer T1' ? undefined : 'no token';
      },
      ({ path }) => (path === '/token' ? { status: 200, body: '{"access_token":"T1"}' } : { status: 202 }),
    );
    const provider = load({
      request: {
        url: `${vendor.url}/send`,
        json: {},
        method: 'PUT',
        headers: { 'x-id': '{{notificationId}}' },
      },
      authentication: {
        type: 'oauth-client-credentials',
        tokenUrl: `${vendor.url}/token`,
        clientId: 'me',
        clientSecret: '{{settings.key}}',
        scope: 'send',
      },
      idempotency: { header: 'Idempotency-Key' },
    });
    const channel = providerChannel(provider, { ...parts, outgoing: anyOutgoing() });
    expect(channel.deduplicates).toBe(true);
    expect(await channel.send(sampleMessage({ channel: 'sms' }), signal)).toEqual({ outcome: 'accepted' });
    const sent = vendor.requests[1]!;
    expect([sent.method, sent.headers['x-id'], sent.headers['idempotency-key']]).toEqual([
      'PUT',
      'ntf_1',
      'ntf_1',
    ]);
    await channel.close();
  });

  it.each(['two\r\nX-Evil: 1', 'for €5'])(
    'that need %j in a header fail, certainly and without a call',
    async (text) => {
      const receiver = await startReceiver();
      const provider = load({
        request: { url: receiver.url, json: {}, headers: { 'X-Text': '{{text}}' } },
      });
      const channel = providerChannel(provider, { ...parts, outgoing: anyOutgoing() });
      expect(await channel.send(sampleMessage({ channel: 'sms', text }), signal)).toEqual({
        outcome: 'rejected',
        error: 'the value of the header X-Text has characters that no header can hold',
      });
      expect(receiver.received).toEqual([]);
      await Promise.all([channel.close(), receiver.close()]);
    },
  );

  it('show neither secrets nor the address in an error', async () => {
    const provider = load({ request: { url: 'http://secret-key.invalid/', json: {} } });
    const channel = providerChannel(provider, { ...parts, outgoing: anyOutgoing() });
    const result = await channel.send(sampleMessage({ channel: 'sms' }), signal);
    expect(result).toMatchObject({ outcome: 'retryable', error: expect.stringContaining('•••.invalid') });
    await channel.close();
  });
});
