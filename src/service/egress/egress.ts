import type { Dispatcher } from 'undici';
import type { Policy } from '../runtime/policy.ts';
import { guardedAgent } from './guarded-agent.ts';
import { DELIVERY_DEADLINE_MS } from './post.ts';
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

/**
 * Opens the outgoing connections for deliveries. Each policy has a separate agent: when the policy changes, connections
 * that the previous one allowed are not used for new deliveries and close.
 */
export function openEgress(policy: () => Policy): Egress {
  const names = directResolver();
  const agentFor = (allowLoopback: boolean) => ({
    allowLoopback,
    agent: guardedAgent({ allowLoopback, connectTimeoutMs: DELIVERY_DEADLINE_MS, resolve: names.resolve }),
  });
  let current = agentFor(policy().allowLoopbackWebhooks);
  return {
    to(url) {
      const allowLoopback = policy().allowLoopbackWebhooks;
      if (allowLoopback !== current.allowLoopback) {
        current.agent.close().catch(() => {});
        current = agentFor(allowLoopback);
      }
      const checked = checkWebhookUrl(url, { allowLoopback });
      return checked.ok
        ? { dispatcher: current.agent }
        : { refused: `the url ${checked.reason}; webhooks are sent to public addresses only` };
    },
    async close() {
      names.cancel();
      await current.agent.destroy();
    },
  };
}
