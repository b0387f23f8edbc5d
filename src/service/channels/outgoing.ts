import { buildConnector, type Dispatcher } from 'undici';
import { boundedAgent } from '../egress/bounded-answers.ts';
import { type Egress, openEgress } from '../egress/egress.ts';
import { type ExchangeOptions, type ExchangeResult, exchange } from '../egress/exchange.ts';
import type { Policy } from '../runtime/policy.ts';

/** Milliseconds for name, TCP and TLS together; below the deadline, so that a connect timeout is recognized as one. */
const CONNECT_MS = 10_000;

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
export function publicOutgoing(policy: () => Policy): Outgoing {
  let egress: Egress | undefined;
  return {
    async request(url, body, headers, options) {
      egress ??= openEgress(policy);
      const to = egress.to(url);
      if ('refused' in to) return { status: null, error: to.refused, connected: false };
      return exchange(url, body, headers, { ...options, dispatcher: to.dispatcher });
    },
    close: async () => egress?.close(),
  };
}

/** Requests to any address: for a provider in the operator's own network. */
export function anyOutgoing(): Outgoing {
  let dispatcher: Dispatcher | undefined;
  return {
    request(url, body, headers, options) {
      dispatcher ??= boundedAgent(buildConnector({ timeout: CONNECT_MS }));
      return exchange(url, body, headers, { ...options, dispatcher });
    },
    close: async () => dispatcher?.destroy(),
  };
}
