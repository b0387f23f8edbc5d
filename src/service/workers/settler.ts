import type { ServiceDeps } from '../deps.ts';
import { decisions } from '../store/decisions.ts';
import { rewards } from '../store/rewards.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 60_000;
/** Decisions of one transaction: small enough to delay no request. */
const CHUNK = 200;

/** Counts the decisions of an earlier version whose silence did not count yet. */
export function startSettler({ store, clock, log }: ServiceDeps): Worker {
  return repeat('the settler', clock, log, PAUSE_MS, async () => {
    if (!(await store.leads('settler'))) return false;
    const settled = await store.write(async (tx) => {
      const open = await decisions.open(tx, tx.now, CHUNK);
      for (const decision of open) await rewards.record(tx, decision.workspaceId, decision, 0);
      return open.length;
    });
    return settled === CHUNK;
  });
}
