import { buildConnector } from 'undici';
import { deliveryHeaders } from '../../contract/delivery-headers.ts';
import { HEADERS } from '../../contract/headers.ts';
import { boundedAgent } from '../egress/bounded-answers.ts';
import { exchange } from '../egress/exchange.ts';
import type { ChannelAdapter, ChannelMessage, SendResult } from './channel.ts';

export interface ProviderOptions {
  readonly url: string;
  /** Signs the request as a webhook delivery is signed. */
  readonly secret: string;
  /** True if the provider ignores a second request with the same Idempotency-Key. */
  readonly keysHonoured: boolean;
  readonly deadlineMs: number;
  readonly now: () => number;
}

/** Milliseconds for name, TCP and TLS together; below the deadline, so that a connect timeout is recognized as one. */
const CONNECT_MS = 10_000;

/**
 * Sends whatsapp, sms and push messages as one signed POST request to the provider's URL. The operator configures that
 * URL, so it may be on a private network. 2xx: accepted. 429 or no connection: retried later. Another status below
 * 500: refused. A 5xx or no complete answer: the outcome is unknown, as for any client (docs/design-choices.md).
 */
export function providerChannel(options: ProviderOptions): ChannelAdapter {
  const dispatcher = boundedAgent(buildConnector({ timeout: CONNECT_MS }));
  const { deadlineMs } = options;
  return {
    name: `provider ${new URL(options.url).host}`,
    dropsRepeats: options.keysHonoured,
    async send(message, signal): Promise<SendResult> {
      const body = Buffer.from(JSON.stringify(payload(message)));
      const headers = {
        ...deliveryHeaders(message.notificationId, options.now(), body, [options.secret]),
        [HEADERS.idempotencyKey]: message.notificationId,
      };
      const result = await exchange(options.url, body, headers, { dispatcher, deadlineMs, signal });
      return result.status === null
        ? { outcome: result.connected ? 'unknown' : 'later', error: result.error }
        : outcomeOf(result.status);
    },
    close: () => dispatcher.destroy(),
  };
}

function outcomeOf(status: number): SendResult {
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
