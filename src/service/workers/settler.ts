import type { ServiceDeps } from '../deps.ts';
import { REWARD_WINDOW_MS } from '../domain/decide/reward.ts';
import { decisions } from '../store/decisions.ts';
import { messages } from '../store/messages.ts';
import { recentEvents } from '../store/recent-events.ts';
import { rewards } from '../store/rewards.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 60_000;
/** Rows of one transaction: small enough to delay no request. */
const CHUNK = 200;
const DAY_MS = 86_400_000;

/** Closes what time has decided: messages nobody touched earned nothing, and those of past days are removed. */
export function startSettler({ store, clock, log, catalogue }: ServiceDeps): Worker {
  return repeat('the settler', clock, log, PAUSE_MS, async () => {
    const settled = await store.write(async (tx) => {
      const open = await decisions.open(tx, tx.now - REWARD_WINDOW_MS, CHUNK);
      for (const decision of open) await rewards.record(tx, decision.workspaceId, decision, 0);
      return open.length;
    });
    const removed = await store.write(
      async (tx) => {
        const stale = tx.now - Math.max(catalogue().lookBackDays, 1) * DAY_MS;
        return Math.max(await messages.purge(tx, CHUNK), await recentEvents.purge(tx, stale, CHUNK));
      },
      { durable: false },
    );
    return settled === CHUNK || removed === CHUNK;
  });
}
