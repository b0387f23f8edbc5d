import type { Catalog } from '../catalog/catalog.ts';
import type { Call } from '../http/endpoint.ts';
import { rewardAfter } from './engine/reward.ts';
import { formulaOf } from './goals/formula.ts';
import { changedParts, rewardOf } from './goals/rules/learned-reward.ts';
import { rechecks } from './goals/store/rechecks.ts';
import { type Earning, earnings } from './store/earnings.ts';
import { rewards } from './store/rewards.ts';

/** How a workspace counts. */
interface Counting {
  readonly catalog: Catalog;
  readonly repeatable: boolean;
}

/** What counts of a decision that has no reward yet. */
type Starting = Pick<Earning, 'decisionId' | 'hashId' | 'contentId' | 'context' | 'prior' | 'reward'>;

/**
 * Logs a reward of 0 until an outcome arrives. The reward log writer adds it to the reward log shortly after: that log
 * has one row to lock for a whole workspace, and no request should wait for it. With a seed the log is written at once,
 * so that choices depend on the requests alone.
 */
export async function startCounting(
  { tx, workspace }: Pick<Call, 'tx' | 'workspace'>,
  { catalog, repeatable }: Counting,
  decision: Starting,
): Promise<void> {
  if (repeatable)
    await rewards.record(tx, workspace.id, decision, { reward: 0, earned: 0, parts: undefined });
  else await earnings.startCounting(tx, workspace.id, decision.decisionId);
  if (catalog.goals.length > 0) await rechecks.mark(tx, workspace.id, decision.hashId);
}

/** Records the reward of an outcome. Until the decision has an entry in the reward log, it is kept for the writer. */
export async function recordReward(
  { tx, workspace }: Pick<Call, 'tx' | 'workspace'>,
  { catalog, repeatable }: Counting,
  decision: Earning,
  outcome: string,
): Promise<void> {
  const earned = rewardAfter(decision.earned, outcome);
  if (repeatable || decision.reward !== null) {
    const formula = await formulaOf(tx, workspace.id, catalog);
    const after = { ...decision, earned };
    await rewards.record(tx, workspace.id, decision, {
      reward: rewardOf(formula, after),
      earned,
      parts: changedParts(formula, decision, after),
    });
    await earnings.setEarned(tx, workspace.id, decision.decisionId, earned);
  } else await earnings.startCounting(tx, workspace.id, decision.decisionId, earned);
}
