import type { ServiceDeps } from '../runtime/deps.ts';
import { decisions } from '../store/repositories/decisions.ts';
import { rewards } from '../store/repositories/rewards.ts';
import type { Tx } from '../store/store.ts';
import { repeat, type Worker, wokenBy } from './worker.ts';

/** Poll interval, for decisions of an earlier version and for a notification that was lost. */
const PAUSE_MS = 60_000;
/** Decisions that start to count together are settled together. */
const GATHER_MS = 20;
/** Decisions per transaction: few enough not to delay requests. */
const CHUNK = 200;

/** Writes a reward of 0 for decisions that started to count, and for those of an earlier version without an outcome. */
export function startSettler({ store, clock, log }: ServiceDeps): Worker {
  const counting = () => store.read((tx) => decisions.anyCounting(tx));
  const worker = repeat('the settler', clock, log, PAUSE_MS, async () => {
    if (!(await store.leads('settler'))) return false;
    await clock.sleep(GATHER_MS);
    return (await store.write((tx) => settleOnce(tx, CHUNK), { durable: false })) === CHUNK;
  });
  return {
    ...wokenBy(store, 'outcomes', worker),
    idle: async () => (await worker.idle()) && (!(await store.leads('settler')) || !(await counting())),
  };
}

/** Settles up to `most` decisions, ordered by workspace, because each has one reward log to lock. Returns how many. */
export async function settleOnce(tx: Tx, most: number): Promise<number> {
  const counting = await decisions.counting(tx, most);
  const open = counting.length > 0 ? counting : await decisions.open(tx, tx.now, most);
  // The sort is stable: within a workspace the oldest stays first.
  const ordered = open.toSorted(
    (a, b) => Number(a.workspaceId > b.workspaceId) - Number(a.workspaceId < b.workspaceId),
  );
  for (const decision of ordered) await rewards.record(tx, decision.workspaceId, decision, 0);
  return open.length;
}
