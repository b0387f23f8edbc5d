import type { Platform } from '../platform/platform.ts';
import { due } from '../platform/store/due.ts';
import { dueWorkspaces } from '../platform/store/due-workspaces.ts';
import { dueRound } from '../platform/workers/by-workspace.ts';
import { repeat, type Worker, wokenBy } from '../platform/workers/worker.ts';
import { fanOuts } from './store/fan-outs.ts';

/** Interval of the check for fan-outs that a stopped node left unfinished, and for those that another continues. */
const POLL_MS = 1000;

/** Queues the remaining deliveries of outcomes with more subscriptions than one transaction handles. */
export function startFanOut(platform: Pick<Platform, 'store' | 'clock' | 'log' | 'precedence'>): Worker {
  const { store, clock, log } = platform;
  const proceed = (workspaceId: string) =>
    store.write(
      async (tx) => {
        await due.clear(tx, workspaceId, 'fan-out');
        const proceeded = await fanOuts.proceed(tx, workspaceId);
        if (await fanOuts.pending(tx, workspaceId))
          await due.mark(tx, workspaceId, 'fan-out', proceeded ? tx.now : tx.now + POLL_MS);
        return proceeded;
      },
      { bulk: true },
    );
  const loop = repeat('the fan-out', clock, log, POLL_MS, dueRound(platform, 'fan-out', proceed));
  const worker = wokenBy(store, 'deliveries', loop);
  const pending = () => store.read((tx) => dueWorkspaces.any(tx, store.workers, 'fan-out'));
  return { ...worker, idle: async () => !(await pending()) && (await worker.idle()) };
}
