import type { Dispatcher } from 'undici';
import type { Policy } from '../runtime/policy.ts';
import { guardedAgent } from './guarded-agent.ts';
import { DELIVERY_DEADLINE_MS } from './post.ts';
import { directResolver } from './resolve.ts';
import { checkWebhookUrl } from './url-policy.ts';

export interface Egress {
  /**
   * The agent for one delivery to this URL under the present policy, or why the policy refuses it, in words.
   * A URL that was admitted when its subscription was made may not be any more.
   */
  to(url: string): { readonly dispatcher: Dispatcher } | { readonly refused: string };
  /** Ends questions to name servers and connections. */
  close(): Promise<void>;
}

/**
 * The way out for deliveries. A policy has its own agent with its own connections: when the policy changes, those that
 * the previous one admitted take no new delivery and close.
 */
export function openEgress(policy: () => Policy): Egress {
  const names = directResolver();
  const agentFor = (allowLoopback: boolean) => ({
    allowLoopback,
    agent: guardedAgent({ allowLoopback, connectTimeoutMs: DELIVERY_DEADLINE_MS, resolve: names.resolve }),
  });
  let present = agentFor(policy().allowLoopbackWebhooks);
  return {
    to(url) {
      const allowLoopback = policy().allowLoopbackWebhooks;
      if (allowLoopback !== present.allowLoopback) {
        present.agent.close().catch(() => {});
        present = agentFor(allowLoopback);
      }
      const checked = checkWebhookUrl(url, { allowLoopback });
      return checked.ok
        ? { dispatcher: present.agent }
        : { refused: `the url ${checked.reason}; webhooks are sent to public addresses only` };
    },
    async close() {
      names.cancel();
      await present.agent.destroy();
    },
  };
}
