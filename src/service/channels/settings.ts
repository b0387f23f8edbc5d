import type { ChannelAdapter } from './channel.ts';
import { outboxChannel } from './outbox.ts';
import { providerChannel } from './provider.ts';
import { smtpChannel } from './smtp.ts';

/** Time limit for each step of a mail server or provider, in ms. */
const CHANNEL_TIMEOUT_MS = 15_000;

/** The configured channels. Secrets come from the environment only. */
export interface ChannelSettings {
  readonly outboxFile: string;
  readonly smtp?: { readonly url: string; readonly from: string };
  readonly providers: Readonly<Partial<Record<'whatsapp' | 'sms' | 'push', ProviderSettings>>>;
}

interface ProviderSettings {
  readonly url: string;
  readonly secret: string;
  readonly keysHonoured: boolean;
}

/** An environment variable is invalid; the message names it. */
export class ChannelSettingError extends Error {
  override readonly name = 'ChannelSettingError';
}

/**
 * Reads `SVC_SMTP_URL`, `SVC_SMTP_FROM`, `SVC_{WHATSAPP,SMS,PUSH}_URL`, `SVC_PROVIDER_SECRET`,
 * `SVC_PROVIDER_KEYS_HONOURED` and `SVC_OUTBOX_FILE` (else `defaultOutbox`).
 * Throws `ChannelSettingError` for an invalid value, before any notification is due.
 */
export function channelSettings(
  env: Readonly<Record<string, string | undefined>>,
  defaultOutbox: string,
): ChannelSettings {
  const smtpUrl = env.SVC_SMTP_URL;
  if (smtpUrl && !/^smtps?:$/.test(protocolOf(smtpUrl)))
    throw new ChannelSettingError('SVC_SMTP_URL must be an smtp:// or smtps:// URL');
  if (smtpUrl && !env.SVC_SMTP_FROM)
    throw new ChannelSettingError('SVC_SMTP_URL requires SVC_SMTP_FROM, the sender of the e-mails');
  const providers: { -readonly [K in keyof ChannelSettings['providers']]: ProviderSettings } = {};
  for (const channel of ['whatsapp', 'sms', 'push'] as const) {
    const name = `SVC_${channel.toUpperCase()}_URL`;
    const url = env[name];
    if (!url) continue;
    if (!/^https?:$/.test(protocolOf(url))) throw new ChannelSettingError(`${name} must be an http(s) URL`);
    if (!env.SVC_PROVIDER_SECRET || env.SVC_PROVIDER_SECRET.length < 16)
      throw new ChannelSettingError(
        `${name} requires SVC_PROVIDER_SECRET of at least 16 characters, to sign the requests`,
      );
    providers[channel] = {
      url,
      secret: env.SVC_PROVIDER_SECRET,
      keysHonoured: env.SVC_PROVIDER_KEYS_HONOURED === '1',
    };
  }
  return {
    outboxFile: env.SVC_OUTBOX_FILE || defaultOutbox,
    ...(smtpUrl && env.SVC_SMTP_FROM ? { smtp: { url: smtpUrl, from: env.SVC_SMTP_FROM } } : {}),
    providers,
  };
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}

/** The channels of a running service. */
export interface Channels {
  /** The channels that do not write to the outbox. */
  readonly configured: readonly string[];
  /** Returns the adapter of a channel for a workspace of this mode: a test workspace sends to the outbox only. */
  forChannel(channel: string, mode: 'live' | 'test' | null): ChannelAdapter;
  close(): Promise<void>;
}

/** Opens one adapter per configured channel. Other channels write to the outbox file. */
export function openChannels(settings: ChannelSettings, now: () => number): Channels {
  const outbox = outboxChannel(settings.outboxFile, now);
  const adapters = new Map<string, ChannelAdapter>();
  if (settings.smtp) adapters.set('email', smtpChannel({ ...settings.smtp, timeoutMs: CHANNEL_TIMEOUT_MS }));
  for (const [channel, provider] of Object.entries(settings.providers))
    adapters.set(channel, providerChannel({ ...provider, deadlineMs: CHANNEL_TIMEOUT_MS, now }));
  return {
    configured: [...adapters.keys()],
    forChannel: (channel, mode) => (mode === 'test' ? undefined : adapters.get(channel)) ?? outbox,
    close: async () => {
      await Promise.all([outbox, ...adapters.values()].map((adapter) => adapter.close()));
    },
  };
}
