import type { Feature } from '../http/endpoint.ts';
import type { post } from '../platform/egress/post.ts';
import type { Platform } from '../platform/platform.ts';
import type { Policy } from '../platform/settings.ts';
import type { Retention } from '../platform/store/retained-logs.ts';
import type { RemovalByAge } from '../platform/store/retention/removals.ts';
import { startCatchUp } from './catch-up.ts';
import { startDeliverer } from './deliverer.ts';
import { startFanOut } from './fan-out.ts';
import { webhookEndpoints } from './routes.ts';
import { outcomeLog } from './store/outcome-log.ts';
import { performance } from './store/performance.ts';
import { purgeDeliveries } from './store/purge.ts';
import { webhooks as subscriptions } from './store/webhooks.ts';

/** What is removed by age. */
export const webhookRemovals: readonly RemovalByAge[] = [
  subscriptions.purgeExpired,
  purgeDeliveries.dropped,
  purgeDeliveries.finished,
  outcomeLog.purge,
  performance.purge,
];

/** Call back: subscriptions, and the signed deliveries of outcomes to them. `send` replaces how a delivery is sent. */
export function webhooks(
  platform: Platform,
  {
    policy,
    retention,
    send,
  }: { policy: () => Policy; retention: () => Retention; send: typeof post | undefined },
): Feature {
  return {
    endpoints: webhookEndpoints(platform, policy, retention),
    // A delivery is signed with a secret, which the node cannot read without the data key.
    workers: [
      startFanOut(platform),
      startCatchUp(platform),
      ...(platform.cipher.usable ? [startDeliverer(platform, policy, send)] : []),
    ],
  };
}
