import type { Call } from '../http/endpoint.ts';
import { rewardAfter } from './engine/reward.ts';
import { decisions, type Earning } from './store/decisions.ts';
import { rewards } from './store/rewards.ts';

/**
 * Logs a reward of 0 until an outcome arrives. The reward log writer adds it to the reward log shortly after: that log
 * has one row to lock for a whole workspace, and no request should wait for it. With a seed the log is written at once,
 * so that choices depend on the requests alone.
 */
export async function startCounting(
  { tx, workspace }: Pick<Call, 'tx' | 'workspace'>,
  repeatable: boolean,
  decision: Pick<Earning, 'decisionId' | 'contentId' | 'context' | 'prior' | 'reward'>,
): Promise<void> {
  if (repeatable) await rewards.record(tx, workspace.id, decision, 0);
  else await decisions.startCounting(tx, workspace.id, decision.decisionId);
}

/** Records the reward of an outcome. Until the decision has an entry in the reward log, it is kept for the writer. */
export async function recordReward(
  { tx, workspace }: Pick<Call, 'tx' | 'workspace'>,
  repeatable: boolean,
  decision: Earning,
  outcome: string,
): Promise<void> {
  const reward = rewardAfter(decision.reward ?? decision.earned, outcome);
  if (repeatable || decision.reward !== null) await rewards.record(tx, workspace.id, decision, reward);
  else await decisions.startCounting(tx, workspace.id, decision.decisionId, reward);
}
