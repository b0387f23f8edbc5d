import { buildConnector, type Dispatcher } from 'undici';
import { boundedAgent } from '../../platform/egress/bounded-answers.ts';
import { type Egress, type EgressOptions, openEgress } from '../../platform/egress/egress.ts';
import {
  CONNECT_TIMEOUT_MS,
  type ExchangeOptions,
  type ExchangeResult,
  exchange,
} from '../../platform/egress/exchange.ts';
import type { Policy } from '../../platform/settings.ts';

/** Sends requests to a provider. */
export interface Outgoing {
  request(
    url: string,
    body: Uint8Array,
    headers: Record<string, string>,
    options: Omit<ExchangeOptions, 'dispatcher'>,
  ): Promise<ExchangeResult>;
  close(): Promise<void>;
}

/** Requests to public addresses only, as webhook deliveries are sent. */
export function publicOutgoing(policy: () => Policy, egressOptions?: EgressOptions): Outgoing {
  let egress: Egress | undefined;
  return {
    async request(url, body, headers, options) {
      egress ??= openEgress(policy, egressOptions);
      const to = egress.to(url);
      if ('refused' in to) return { status: null, error: to.refused, written: false };
      return exchange(url, body, headers, { ...options, dispatcher: to.dispatcher });
    },
    close: async () => egress?.close(),
  };
}

/** Requests to any address: for a provider in the operator's own network. */
export function anyOutgoing({ connectTimeoutMs = CONNECT_TIMEOUT_MS }: EgressOptions = {}): Outgoing {
  let dispatcher: Dispatcher | undefined;
  return {
    request(url, body, headers, options) {
      dispatcher ??= boundedAgent(buildConnector({ timeout: connectTimeoutMs }));
      return exchange(url, body, headers, { ...options, dispatcher });
    },
    close: async () => dispatcher?.destroy(),
  };
}
