import { CHANNELS } from '../../../contract/schemas.ts';
import type { EgressOptions } from '../../platform/egress/egress.ts';
import { EXCHANGE_DEADLINE_MS } from '../../platform/egress/exchange.ts';
import { DEFAULT_POLICY, type Policy } from '../../platform/settings.ts';
import { untraced } from '../../platform/tracing/tracing.ts';
import type { ChannelAdapter } from './channel.ts';
import { type Environment, loadProvider, type Provider } from './file/load.ts';
import { checkNetwork } from './file/network.ts';
import { ProviderFileError } from './file/parse.ts';
import { outboxChannel } from './outbox.ts';
import { anyOutgoing, publicOutgoing } from './outgoing.ts';
import { providerChannel } from './provider.ts';
import { smtpChannel } from './smtp.ts';

/** Time limit for each step of a mail server, in ms. */
const MAIL_STEP_MS = 15_000;

/** The configured channels. Secrets come from the environment, or from files that it names. */
export interface ChannelSettings {
  readonly outboxFile: string;
  readonly smtp?: { readonly url: string; readonly from: string };
  /** Channels of the provider `generic`. */
  readonly providers: Readonly<Partial<Record<'whatsapp' | 'sms' | 'push', ProviderSettings>>>;
  /** Channels with a provider that was chosen by name or file; they win. */
  readonly chosen?: readonly Provider[];
}

interface ProviderSettings {
  readonly url: string;
  readonly secret: string;
  readonly idempotent: boolean;
  /** Default: it sends none. */
  readonly receipts?: boolean;
}

/** An environment variable is invalid; the message names it. */
export class ChannelSettingError extends Error {
  override readonly name = 'ChannelSettingError';
}

/** A provider per channel: `CHANNEL=NAME|FILE`, as `serve --provider` takes it. */
export type ChosenProviders = readonly string[];

/**
 * Reads `SVC_SMTP_URL`, `SVC_SMTP_FROM`, `SVC_{WHATSAPP,SMS,PUSH}_URL`, `SVC_PROVIDER_SECRET`,
 * `SVC_PROVIDER_KEYS_HONOURED`, `SVC_PROVIDER_RECEIPTS`, `SVC_OUTBOX_FILE` (else `defaultOutbox`) and `SVC_PROVIDERS`, a
 * list with commas, which `chosen` replaces. Throws `ChannelSettingError` or `ProviderFileError` for an invalid value, before
 * any notification is due.
 */
export function channelSettings(
  env: Environment,
  defaultOutbox: string,
  chosen: ChosenProviders = (env.SVC_PROVIDERS ?? '').split(',').filter((text) => text.trim() !== ''),
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
      idempotent: env.SVC_PROVIDER_KEYS_HONOURED === '1',
      ...(env.SVC_PROVIDER_RECEIPTS === '1' ? { receipts: true } : {}),
    };
  }
  return {
    outboxFile: env.SVC_OUTBOX_FILE || defaultOutbox,
    ...(smtpUrl && env.SVC_SMTP_FROM ? { smtp: { url: smtpUrl, from: env.SVC_SMTP_FROM } } : {}),
    providers,
    ...(chosen.length > 0 ? { chosen: chosenProviders(chosen, env) } : {}),
  };
}

function chosenProviders(given: ChosenProviders, env: Environment): Provider[] {
  const byChannel = new Map<string, Provider>();
  for (const text of given) {
    const [, channel = '', nameOrFile = ''] = /^\s*(\w+)=(.+?)\s*$/.exec(text) ?? [];
    if (!(CHANNELS as readonly string[]).includes(channel))
      throw new ProviderFileError(
        `${text.trim()} is not CHANNEL=NAME or CHANNEL=FILE; the channels are ${CHANNELS.join(', ')}`,
      );
    if (byChannel.has(channel)) throw new ProviderFileError(`${channel} has more than one provider`);
    byChannel.set(channel, loadProvider(channel, nameOrFile, env));
  }
  return [...byChannel.values()];
}

/** The provider `generic` with settings that are already checked. */
export function genericProvider(
  channel: string,
  { url, secret, idempotent, receipts }: ProviderSettings,
): Provider {
  return loadProvider(channel, 'generic', {
    [`SVC_${channel.toUpperCase()}_URL`]: url,
    SVC_PROVIDER_SECRET: secret,
    SVC_PROVIDER_KEYS_HONOURED: idempotent ? '1' : '0',
    SVC_PROVIDER_RECEIPTS: receipts ? '1' : '0',
  });
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}

/** The channels of a running service. */
export interface Channels {
  /** The channels that do not write to the outbox. */
  readonly configured: readonly string[];
  /** The providers whose receipts are taken, by name; several if channels share one. */
  readonly receivers: ReadonlyMap<string, readonly Provider[]>;
  /** Returns the adapter of a channel for a workspace of this mode: a test workspace sends to the outbox only. */
  forChannel(channel: string, mode: 'live' | 'test' | null): ChannelAdapter;
  close(): Promise<void>;
}

/**
 * Opens one adapter per configured channel. Other channels write to the outbox file. Throws ProviderFileError for a
 * provider whose host may not be called.
 */
export function openChannels(
  settings: ChannelSettings,
  now: () => number,
  policy: () => Policy = () => DEFAULT_POLICY,
  tracing = untraced,
  egress: EgressOptions = {},
): Channels {
  const outbox = outboxChannel(settings.outboxFile, now);
  const adapters = new Map<string, ChannelAdapter>();
  if (settings.smtp) adapters.set('email', smtpChannel({ ...settings.smtp, timeoutMs: MAIL_STEP_MS }));
  const generic = Object.entries(settings.providers).map(([channel, given]) =>
    genericProvider(channel, given),
  );
  const receivers = new Map<string, Provider[]>();
  for (const provider of [...generic, ...(settings.chosen ?? [])]) {
    checkNetwork(provider, policy());
    const outgoing =
      provider.file.network === 'private' ? anyOutgoing(egress) : publicOutgoing(policy, egress);
    adapters.set(
      provider.channel,
      providerChannel(provider, { outgoing, tracing, deadlineMs: EXCHANGE_DEADLINE_MS, now }),
    );
    if (provider.givesReceipts)
      receivers.set(provider.file.name, [...(receivers.get(provider.file.name) ?? []), provider]);
  }
  return {
    configured: [...adapters.keys()],
    receivers,
    forChannel: (channel, mode) => (mode === 'test' ? undefined : adapters.get(channel)) ?? outbox,
    close: async () => {
      await Promise.all([outbox, ...adapters.values()].map((adapter) => adapter.close()));
    },
  };
}
