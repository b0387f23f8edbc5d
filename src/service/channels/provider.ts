import { buildConnector } from 'undici';
import { deliveryHeaders } from '../../contract/delivery-headers.ts';
import { HEADERS } from '../../contract/headers.ts';
import { boundedAgent } from '../egress/bounded-answers.ts';
import { exchange, wordsOf } from '../egress/post.ts';
import type { ChannelAdapter, ChannelMessage, HandOver } from './channel.ts';

export interface ProviderOptions {
  readonly url: string;
  /** Signs the call as a webhook delivery is signed. */
  readonly secret: string;
  /** The provider drops a second call with the same Idempotency-Key. */
  readonly keysHonoured: boolean;
  readonly deadlineMs: number;
  readonly now: () => number;
}

/** Milliseconds for name, TCP and TLS together; less than a hand-over has, so that a failure to connect is known as one. */
const CONNECT_MS = 10_000;

/** Errors of a connection that was never made: nothing can have arrived. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * whatsapp, sms, push: one signed POST to the provider's URL. The operator names that URL, so it may be on a private
 * network. 2xx takes the notification; 429 and a connection that was never made leave it for later; another 4xx
 * refuses it; a 5xx or a lost answer leaves everybody in doubt, as for any client (docs/decisions.md).
 */
export function providerChannel(options: ProviderOptions): ChannelAdapter {
  const dispatcher = boundedAgent(buildConnector({ timeout: CONNECT_MS }));
  const { deadlineMs } = options;
  return {
    name: `provider ${new URL(options.url).host}`,
    dropsRepeats: options.keysHonoured,
    async send(message, signal): Promise<HandOver> {
      const body = Buffer.from(JSON.stringify(payload(message)));
      try {
        const headers = {
          ...deliveryHeaders(message.notificationId, options.now(), body, [options.secret]),
          [HEADERS.idempotencyKey]: message.notificationId,
        };
        const { status } = await exchange(options.url, body, headers, { dispatcher, deadlineMs, signal });
        return verdict(status);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        return {
          outcome: code !== undefined && NOT_CONNECTED.has(code) ? 'later' : 'unknown',
          error: wordsOf(error),
        };
      }
    },
    close: () => dispatcher.destroy(),
  };
}

function verdict(status: number): HandOver {
  if (status >= 200 && status < 300) return { outcome: 'taken' };
  const error = `the provider answered ${status}`;
  if (status === 429) return { outcome: 'later', error };
  return { outcome: status >= 500 ? 'unknown' : 'refused', error };
}

function payload(message: ChannelMessage): Record<string, unknown> {
  return {
    notificationId: message.notificationId,
    channel: message.channel,
    priority: message.priority,
    templateId: message.templateId,
    hashId: message.hashId,
    to: message.to,
    ...(message.subject === undefined ? {} : { subject: message.subject }),
    text: message.text,
  };
}
