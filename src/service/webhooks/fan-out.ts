import { due } from '../platform/store/due.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { fanOuts } from './store/fan-outs.ts';

/** Interval of the check for fan-outs that a stopped node left unfinished, and for those that another continues. */
const POLL_MS = 1000;

/** Queues the remaining deliveries of outcomes with more subscriptions than one transaction handles. */
export const startFanOut = (platform: WorkerPlatform): Worker =>
  worker(platform, {
    name: 'the fan-out',
    lane: 'fan-out',
    topics: ['deliveries'],
    pause: POLL_MS,
    work: (workspaceId) =>
      platform.store.write(
        async (tx) => {
          await due.clear(tx, workspaceId, 'fan-out');
          const proceeded = await fanOuts.proceed(tx, workspaceId);
          if (await fanOuts.pending(tx, workspaceId))
            await due.mark(tx, workspaceId, 'fan-out', proceeded ? tx.now : tx.now + POLL_MS);
          return proceeded;
        },
        { bulk: true },
      ),
  });
