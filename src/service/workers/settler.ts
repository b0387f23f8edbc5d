import type { ServiceDeps } from '../deps.ts';
import { REWARD_WINDOW_MS } from '../domain/decide/reward.ts';
import { decisions } from '../store/decisions.ts';
import { rewards } from '../store/rewards.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 60_000;
/** Decisions of one transaction: small enough to delay no request. */
const CHUNK = 200;

/** Closes what time has decided: a message nobody touched in its 24 hours earned nothing. */
export function startSettler({ store, clock, log }: ServiceDeps): Worker {
  return repeat('the settler', clock, log, PAUSE_MS, async () => {
    if (!(await store.leads('settler'))) return false;
    const settled = await store.write(async (tx) => {
      const open = await decisions.open(tx, tx.now - REWARD_WINDOW_MS, CHUNK);
      for (const decision of open) await rewards.record(tx, decision.workspaceId, decision, 0);
      return open.length;
    });
    return settled === CHUNK;
  });
}
