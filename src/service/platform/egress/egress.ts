import type { Dispatcher } from 'undici';
import type { Policy } from '../settings.ts';
import { CONNECT_TIMEOUT_MS } from './exchange.ts';
import { guardedAgent } from './guarded-agent.ts';
import { directResolver } from './resolve.ts';
import { checkWebhookUrl } from './url-policy.ts';

export interface Egress {
  /**
   * The agent for a delivery to this URL under the current policy, or why the policy refuses it.
   * The policy may have changed since the URL was accepted.
   */
  to(url: string): { readonly dispatcher: Dispatcher } | { readonly refused: string };
  /** Cancels DNS queries and closes all connections. */
  close(): Promise<void>;
}

/** The surroundings of outgoing connections; the defaults are those of the service. */
export interface EgressOptions {
  /** Milliseconds for name, TCP and TLS together. */
  readonly connectTimeoutMs?: number;
  /** The name servers, in the format of `dns.setServers`. */
  readonly nameServers?: readonly string[];
}

/**
 * Opens the outgoing connections for deliveries. Each policy has a separate agent: when the policy changes, connections
 * that the previous one allowed are not used for new deliveries and close.
 */
export function openEgress(
  policy: () => Policy,
  { connectTimeoutMs = CONNECT_TIMEOUT_MS, nameServers }: EgressOptions = {},
): Egress {
  const names = directResolver(nameServers);
  const agentFor = (allowLoopback: boolean) => ({
    allowLoopback,
    agent: guardedAgent({ allowLoopback, connectTimeoutMs, resolve: names.resolve }),
    /** The URL that was checked last: many deliveries in a row go to one. */
    last: undefined as
      | { readonly url: string; readonly checked: ReturnType<typeof checkWebhookUrl> }
      | undefined,
  });
  let current = agentFor(policy().allowLoopbackWebhooks);
  return {
    to(url) {
      const allowLoopback = policy().allowLoopbackWebhooks;
      if (allowLoopback !== current.allowLoopback) {
        current.agent.close().catch(() => {});
        current = agentFor(allowLoopback);
      }
      if (current.last?.url !== url) current.last = { url, checked: checkWebhookUrl(url, { allowLoopback }) };
      const { checked } = current.last;
      if (checked.ok) return { dispatcher: current.agent };
      const flag = checkWebhookUrl(url, { allowLoopback: true }).ok
        ? ' (svc serve --allow-loopback-webhooks sends here too)'
        : '';
      return { refused: `the url ${checked.reason}; webhooks are sent to public addresses only${flag}` };
    },
    async close() {
      names.cancel();
      await current.agent.destroy();
    },
  };
}
