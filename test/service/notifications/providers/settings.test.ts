import { describe, expect, it } from 'vitest';
import {
  ChannelSettingError,
  channelSettings,
  openChannels,
} from '../../../../src/service/notifications/providers/settings.ts';

describe('channelSettings', () => {
  it('defaults to an outbox file', () => {
    expect(channelSettings({}, '/data/outbox.ndjson')).toEqual({
      outboxFile: '/data/outbox.ndjson',
      providers: {},
    });
  });

  it('reads the environment', async () => {
    const settings = channelSettings(
      {
        SVC_OUTBOX_FILE: '/elsewhere',
        SVC_SMTP_URL: 'smtps://u:p@mail.example.org',
        SVC_SMTP_FROM: 'shop@example.org',
        SVC_SMS_URL: 'https://sms.example.org/v1',
        SVC_PROVIDER_SECRET: '0123456789abcdef',
        SVC_PROVIDER_KEYS_HONOURED: '1',
      },
      '/data/outbox.ndjson',
    );
    expect(settings).toEqual({
      outboxFile: '/elsewhere',
      smtp: { url: 'smtps://u:p@mail.example.org', from: 'shop@example.org' },
      providers: {
        sms: { url: 'https://sms.example.org/v1', secret: '0123456789abcdef', idempotent: true },
      },
    });
    const channels = openChannels(settings, Date.now);
    const names = ['email', 'sms', 'push', 'whatsapp'].map((each) => channels.forChannel(each, 'live').name);
    expect(names).toEqual(['smtp', 'provider generic', 'outbox', 'outbox']);
    expect(channels.configured).toEqual(['email', 'sms']);
    expect(channels.forChannel('email', null).name).toBe('smtp');
    expect(channels.forChannel('email', 'test').name).toBe('outbox');
    await channels.close();
  });

  it.each([
    [{ SVC_SMTP_URL: 'mail.example.org' }, /SVC_SMTP_URL/],
    [{ SVC_SMTP_URL: 'smtp://mail.example.org' }, /SVC_SMTP_FROM/],
    [{ SVC_PUSH_URL: 'ftp://x' }, /SVC_PUSH_URL/],
    [{ SVC_WHATSAPP_URL: 'https://x.example' }, /SVC_PROVIDER_SECRET/],
    [{ SVC_WHATSAPP_URL: 'https://x.example', SVC_PROVIDER_SECRET: 'short' }, /16 characters/],
  ])('rejects %j, naming the variable', (env, words) => {
    expect(() => channelSettings(env, '/o')).toThrow(words);
    expect(() => channelSettings(env, '/o')).toThrow(ChannelSettingError);
  });
});
