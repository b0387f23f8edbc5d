import type { Platform } from '../platform.ts';
import { due, type Lane } from '../store/due.ts';
import { dueWorkspaces } from '../store/due-workspaces.ts';

/** Workspaces that one round looks at. */
const PER_ROUND = 32;
/** When to look again at a workspace whose work failed, in ms. */
const PUT_OFF_MS = 10_000;

/**
 * Returns a round of a worker: it calls `work` for the workspaces that have due work in a lane, some at a time. `work`
 * removes the marks of the lane (due.clear) or leaves them for the next round, and resolves to true if it can do more
 * at once. A workspace whose work fails is put off, and the others go on.
 */
export function dueRound(
  { store, log, precedence }: Pick<Platform, 'store' | 'log' | 'precedence'>,
  lane: Lane,
  work: (workspaceId: string, stopping: AbortSignal) => Promise<boolean>,
): (stopping?: AbortSignal) => Promise<boolean> {
  let after = '';
  /** True if a workspace of this pass can do more. */
  let more = false;

  const putOff = async (workspaceId: string, error: unknown) => {
    log('error', `the work of a workspace failed and is put off: ${lane}`, {
      workspaceId,
      reason: error instanceof Error ? error.message : String(error),
    });
    await store
      .write(
        async (tx) => {
          await due.clear(tx, workspaceId, lane);
          await due.mark(tx, workspaceId, lane, tx.now + PUT_OFF_MS);
        },
        { durable: false },
      )
      .catch(() => {
        // What cannot be reached stays due.
      });
  };

  return async (stopping = new AbortController().signal) => {
    const { found, next } = await store.read((tx) =>
      dueWorkspaces.page(tx, store.workers, lane, after, PER_ROUND),
    );
    for (const workspaceId of found)
      try {
        await precedence.yieldToRequests();
        if (stopping.aborted) return false;
        if (await work(workspaceId, stopping)) more = true;
      } catch (error) {
        await putOff(workspaceId, error);
      }
    const again = next !== undefined || more;
    if (next === undefined) more = false;
    after = next ?? '';
    return again;
  };
}
