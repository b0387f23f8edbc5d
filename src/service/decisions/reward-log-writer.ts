import type { Catalogs } from '../catalog/follow.ts';
import { due } from '../platform/store/due.ts';
import type { Tx } from '../platform/store/store.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { formulaOf } from './goals/formula.ts';
import { changedParts, type Formula, NOTHING, OUTCOMES, rewardOf } from './goals/rules/learned-reward.ts';
import { earnings } from './store/earnings.ts';
import { rewards } from './store/rewards.ts';

/** Poll interval, for a notification that was lost. */
const PAUSE_MS = 5_000;
/** Decisions that start to count together are settled together: each settling takes longer than a decision. */
const GATHER_MS = 100;
/** Decisions per transaction: few enough not to delay requests. */
const CHUNK = 200;

/**
 * Writes the first entry of decisions that started to count. Rewards and silence are written together, in the order in which decisions began to count: were rewards written first, a
 * content would seem to earn more than it does until its silence follows.
 */
export function startRewardLogWriter(platform: WorkerPlatform, catalogs: Catalogs): Worker {
  const { store, clock } = platform;
  return worker(platform, {
    name: 'the reward log writer',
    lane: 'settle',
    topics: ['outcomes'],
    leader: 'reward log writer',
    pause: PAUSE_MS,
    // First: decisions that arrive meanwhile do not wake a process that does not lead, either.
    before: (stopping) => clock.sleep(GATHER_MS, stopping).catch(() => {}),
    work: async (workspaceId) => {
      const { more } = await store.write(
        async (tx) => {
          const formula = await formulaOf(tx, workspaceId, await catalogs.of(tx, workspaceId));
          return settleOnce(tx, workspaceId, CHUNK, formula);
        },
        { durable: false, bulk: true },
      );
      return more;
    },
  });
}

/** Settles up to `limit` decisions of a workspace, the oldest first. Returns how many, and whether some are left: more than that, or locked by another transaction. */
export async function settleOnce(
  tx: Tx,
  workspaceId: string,
  limit: number,
  formula: Formula = OUTCOMES,
): Promise<{ readonly settled: number; readonly more: boolean }> {
  await due.clear(tx, workspaceId, 'settle');
  const found = await earnings.counting(tx, workspaceId, limit);
  const added = await rewards.add(
    tx,
    workspaceId,
    found.map((decision) => ({
      decision,
      reward: rewardOf(formula, decision),
      earned: decision.earned ?? 0,
      parts: changedParts(formula, NOTHING, decision),
    })),
  );
  if (added > 0) await due.mark(tx, workspaceId, 'learn');
  const more = await earnings.anyUnsettled(tx, workspaceId);
  if (more) await due.mark(tx, workspaceId, 'settle');
  return { settled: found.length, more };
}
