import type { Call } from '../http/endpoint.ts';
import { rewardAfter } from './engine/reward.ts';
import { decisions, type Earning } from './store/decisions.ts';
import { rewards } from './store/rewards.ts';

/**
 * Starts to count the silence of a decision as a reward of 0. The settler writes it to the reward log shortly after: that
 * log has one row to lock for a whole workspace, and no request should wait for it. With a seed the log is written at
 * once, so that choices depend on the requests alone.
 */
export async function startCounting(
  { tx, workspace }: Pick<Call, 'tx' | 'workspace'>,
  repeatable: boolean,
  decision: Pick<Earning, 'decisionId' | 'contentId' | 'context' | 'prior' | 'reward'>,
): Promise<void> {
  if (repeatable) await rewards.record(tx, workspace.id, decision, 0);
  else await decisions.startCounting(tx, workspace.id, decision.decisionId);
}

/** Records what an outcome earned. Until the settler has written the silence of the decision, it is only noted for it. */
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
