import type { Catalogs } from '../catalog/follow.ts';
import type { Platform } from '../platform/platform.ts';
import { due } from '../platform/store/due.ts';
import type { Tx } from '../platform/store/store.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { deleteStep } from './delete-step.ts';
import { deletions } from './deletions.ts';
import { userDeletions } from './user-deletions.ts';

const POLL_MS = 1000;
/** Steps of a workspace in a row, before it is the turn of another one. */
const STEPS = 50;

/** Deletes and counts selected events, and users of runs, in pieces, one deletion of a workspace after another. */
export function startEventDeleter(
  platform: WorkerPlatform & Pick<Platform, 'cipher'>,
  catalogs: Pick<Catalogs, 'of' | 'isCurrent'>,
): Worker {
  const { store, cipher, precedence } = platform;
  const step = async (tx: Tx, workspaceId: string): Promise<boolean> => {
    await due.clear(tx, workspaceId, 'delete');
    const found = await deletions.next(tx, cipher, workspaceId);
    if (found) await deleteStep(tx, catalogs, workspaceId, found);
    else await userDeletions.step(tx, cipher, workspaceId);
    const all = [await deletions.nextDue(tx, workspaceId), await userDeletions.nextDue(tx, workspaceId)];
    const open = all.filter((at) => at !== undefined);
    const next = open.length === 0 ? undefined : Math.min(...open);
    if (next !== undefined) await due.mark(tx, workspaceId, 'delete', next);
    return next !== undefined && next <= tx.now;
  };
  return worker(platform, {
    name: 'the deleter of events',
    lane: 'delete',
    topics: ['erasures'],
    leader: 'event deletions',
    pause: POLL_MS,
    work: async (workspaceId, stopping) => {
      for (let done = 0; done < STEPS && !stopping.aborted; done++) {
        const more = await store.write((tx) => step(tx, workspaceId), { durable: false, bulk: true });
        if (!more) return false;
        await precedence.yieldToRequests();
      }
      return true;
    },
  });
}
