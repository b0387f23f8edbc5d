import type { ServiceDeps } from '../runtime/deps.ts';
import { decisions } from '../store/repositories/decisions.ts';
import { rewards } from '../store/repositories/rewards.ts';
import type { Tx } from '../store/store.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 60_000;
/** Decisions per transaction: few enough not to delay requests. */
const CHUNK = 200;

/** Counts the decisions of an earlier version whose silence did not count yet. */
export function startSettler({ store, clock, log }: ServiceDeps): Worker {
  return repeat('the settler', clock, log, PAUSE_MS, async () => {
    if (!(await store.leads('settler'))) return false;
    return (await store.write((tx) => settleOnce(tx, CHUNK))) === CHUNK;
  });
}

/** Settles up to `most` decisions, ordered by workspace, because each has one reward log to lock. Returns how many. */
export async function settleOnce(tx: Tx, most: number): Promise<number> {
  const open = await decisions.open(tx, tx.now, most);
  // The sort is stable: within a workspace the oldest stays first.
  const ordered = open.toSorted(
    (a, b) => Number(a.workspaceId > b.workspaceId) - Number(a.workspaceId < b.workspaceId),
  );
  for (const decision of ordered) await rewards.record(tx, decision.workspaceId, decision, 0);
  return open.length;
}
