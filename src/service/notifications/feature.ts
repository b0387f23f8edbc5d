import type { Catalogs } from '../catalog/follow.ts';
import type { IsProxy } from '../http/access/client-address.ts';
import type { Feature } from '../http/endpoint.ts';
import type { Limiter } from '../platform/limits/limiter.ts';
import type { Platform } from '../platform/platform.ts';
import type { RemovalByAge } from '../platform/store/retention/removals.ts';
import { removals } from '../platform/store/retention/removals.ts';
import { type Worker, worker } from '../platform/workers/worker.ts';
import { startDispatcher } from './dispatcher.ts';
import type { Channels } from './providers/settings.ts';
import { receiptRoute } from './receipts/routes.ts';
import { notificationEndpoints } from './routes.ts';
import { providedChannels, SEEN_MS } from './store/provided-channels.ts';
import { receipts } from './store/receipts.ts';
import { marketingSent } from './store/sent.ts';
import { unsubscribeRoute } from './unsubscribe.ts';

interface NotificationNeeds {
  readonly catalogs: Catalogs;
  readonly channels: Channels;
  readonly publicUrl: string | undefined;
  readonly limiter: Limiter;
  /** Receipts per window and workspace. */
  readonly receiptsLimit: number;
  /** The addresses whose X-Forwarded-For is believed. */
  readonly isProxy: IsProxy;
}

/** What is removed by age. */
export const notificationRemovals: readonly RemovalByAge[] = [
  removals.notifications,
  marketingSent.purge,
  receipts.purge,
  receipts.purgeSeen,
];

/** Notify: templated notifications, their way through a channel to the user, and what providers say of them. */
export function notifications(platform: Platform, needs: NotificationNeeds): Feature {
  const { catalogs, channels, limiter, receiptsLimit: limit, isProxy } = needs;
  return {
    endpoints: notificationEndpoints(platform, catalogs),
    unkeyed: [
      receiptRoute({ platform, limiter, limit, isProxy, receivers: channels.receivers }),
      unsubscribeRoute({ platform, limiter, limit, isProxy }),
    ],
    // Personal fields are joined, which the node cannot read without the data key.
    workers: platform.cipher.usable
      ? [announceProviders(platform, channels), startDispatcher(platform, channels, needs)]
      : [],
  };
}

/** Says on the store which channels this node has a provider for, so that nodes without one leave them to it. */
function announceProviders(platform: Platform, { configured }: Channels): Worker {
  return worker(platform, {
    name: 'the list of channels with a provider',
    pause: SEEN_MS,
    work: async () => {
      if (configured.length > 0)
        await platform.store.write(
          async (tx) => {
            for (const channel of configured) await providedChannels.seen(tx, channel);
          },
          { durable: false, bulk: true },
        );
      return false;
    },
  });
}
