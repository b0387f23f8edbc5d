import { due } from '../platform/store/due.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { catchUps } from './store/catch-up.ts';
import { redeliveries } from './store/redeliveries.ts';

/** Interval of the check for subscriptions that a stopped node left. */
const POLL_MS = 1000;
/** The pause while deliveries wait that were queued before, in ms. */
const WAITING_MS = 20;

/** Queues what subscriptions missed, and what is sent again, a few deliveries at a time. */
export function startCatchUp(platform: WorkerPlatform): Worker {
  const { store, clock } = platform;
  /** True if a subscription has more as soon as its deliveries were sent. */
  let soon = false;
  return worker(platform, {
    name: 'the catch-up',
    lane: 'catch-up',
    topics: ['deliveries'],
    pause: POLL_MS,
    work: async (workspaceId) => {
      const next = await store.write(
        async (tx) => {
          // Of two nodes, one at a time: they would read the same outcomes.
          if (!(await tx.tryLock(`catch-up of ${workspaceId}`))) return undefined;
          await due.clear(tx, workspaceId, 'catch-up');
          const times = [
            await catchUps.proceed(tx, workspaceId),
            await redeliveries.proceed(tx, workspaceId),
          ].filter((time) => time !== undefined);
          const at = times.length === 0 ? undefined : Math.min(...times);
          if (at !== undefined) await due.mark(tx, workspaceId, 'catch-up', at);
          return at === undefined ? undefined : at - tx.now;
        },
        { bulk: true, durable: false },
      );
      if (next === undefined) return false;
      if (next > 0 && next <= POLL_MS) soon = true;
      return next <= 0;
    },
    after: async () => {
      if (!soon) return false;
      soon = false;
      await clock.sleep(WAITING_MS);
      return true;
    },
  });
}
