import { decisions, type Earning } from '../store/repositories/decisions.ts';
import { rewards } from '../store/repositories/rewards.ts';
import type { Call } from './call.ts';

/**
 * Starts to count the silence of a decision as a reward of 0. The settler writes it to the reward log shortly after: that
 * log has one row to lock for a whole workspace, and no request should wait for it. With a seed the log is written at
 * once, so that choices depend on the requests alone.
 */
export async function startCounting(
  { tx, workspace, deps }: Pick<Call, 'tx' | 'workspace' | 'deps'>,
  decision: Omit<Earning, 'hashId' | 'countedAt'>,
): Promise<void> {
  if (deps.repeatable) await rewards.record(tx, workspace.id, decision, 0);
  else await decisions.startCounting(tx, workspace.id, decision.decisionId);
}
