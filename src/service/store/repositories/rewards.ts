import type { RewardEntry } from '../../domain/decide/learning.ts';
import { type Page, readPage } from '../pages.ts';
import type { Tx } from '../store.ts';
import { decisions, type Earning } from './decisions.ts';

export interface NumberedReward extends RewardEntry {
  readonly seq: number;
}

interface Row {
  seq: number;
  contentId: string;
  context: string;
  prior: number;
  was: number | null;
  reward: number;
}

/** The rewards of decisions, as an ordered log that the learner reads. */
export const rewards = {
  /** Records the reward of a decision if it is higher than before. This transaction must have locked the decision. */
  async record(tx: Tx, workspaceId: string, decision: Earning, reward: number): Promise<void> {
    if (decision.contentId === null || decision.prior === null) return;
    if (decision.reward !== null && reward <= decision.reward) return;
    const head = await tx.sql.get<{ seq: number }>(
      `INSERT INTO reward_head (workspace_id, seq) VALUES (?, 1)
       ON CONFLICT (workspace_id) DO UPDATE SET seq = reward_head.seq + 1 RETURNING seq`,
      [workspaceId],
    );
    await tx.sql.run(
      `INSERT INTO reward (workspace_id, seq, decision_id, content_id, context, prior, was, reward, at_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        workspaceId,
        Number(head!.seq),
        decision.decisionId,
        decision.contentId,
        JSON.stringify(decision.context),
        decision.prior,
        decision.reward,
        reward,
        tx.now,
      ],
    );
    await decisions.setReward(tx, workspaceId, decision.decisionId, reward);
    await tx.notify('outcomes');
  },

  /** A page of the log after a sequence number, in order. */
  async after(tx: Tx, workspaceId: string, seq: number, most: number): Promise<Page<NumberedReward>> {
    const { rows, more } = await readPage<Row>(tx, {
      columns: 'seq, content_id AS "contentId", context, prior, was, reward',
      long: ['content_id', 'context'],
      from: 'reward WHERE workspace_id = ? AND seq > ?',
      params: [workspaceId, seq],
      order: 'seq',
      most,
    });
    const entries = rows.map((row) => ({
      seq: Number(row.seq),
      contentId: row.contentId,
      context: JSON.parse(row.context),
      prior: row.prior,
      from: row.was,
      to: row.reward,
    }));
    return { rows: entries, more };
  },
};
