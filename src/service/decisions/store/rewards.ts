import { due } from '../../platform/store/due.ts';
import { type Page, readPage } from '../../platform/store/pages.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { SqlValue, Store, Tx } from '../../platform/store/store.ts';
import { featuresOf, unpackFeatures } from '../engine/features.ts';
import type { RewardEntry } from '../engine/learning.ts';
import type { LoggedDecision } from './decision-record.ts';
import { decisions, type Earning } from './decisions.ts';

export interface NumberedReward extends RewardEntry {
  readonly seq: number;
}

interface Row {
  seq: number;
  decisionId: string;
  contentId: string;
  category: string | null;
  attributes: string | null;
  features: string | null;
  hashId: string;
  context: string;
  prior: number;
  at: number;
  was: number | null;
  reward: number;
}

/** What the log of rewards needs of a decision. */
type Rewarded = Pick<LoggedDecision, 'decisionId' | 'contentId' | 'context' | 'prior' | 'reward'>;

/** Rows per statement (see users.ts). */
const CHUNKS = [64, 8, 1];

/** Workspaces per statement. */
const HEADS_PER_QUERY = 64;

/** The rewards of decisions, as an ordered log that the learner reads. */
export const rewards = {
  /** Records the reward of a decision, and that the model is behind. */
  async record(tx: Tx, workspaceId: string, decision: Rewarded, reward: number): Promise<void> {
    if (await rewards.add(tx, workspaceId, decision, reward)) await due.mark(tx, workspaceId, 'learn');
  },

  /**
   * Adds the reward of a decision to the log if it is higher than before; returns whether it is. This transaction must
   * have locked the decision, and marks the lane `learn`.
   */
  async add(tx: Tx, workspaceId: string, decision: Rewarded, reward: number): Promise<boolean> {
    if (decision.contentId === null || decision.prior === null) return false;
    if (decision.reward !== null && reward <= decision.reward) return false;
    const { decisionId, contentId, context, prior, reward: was } = decision;
    const seq = await advance(tx, workspaceId, 1);
    await pipeline([
      insert(tx, [
        [workspaceId, seq, decisionId, contentId, JSON.stringify(context), prior, was, reward, tx.now],
      ]),
      decisions.setReward(tx, workspaceId, decisionId, reward),
    ]);
    await tx.notify('outcomes');
    return true;
  },

  /**
   * Adds the first entries of decisions, in their order: what they earned so far, else 0. Returns how many were added.
   * This transaction must have locked the decisions, and marks the lane `learn`.
   */
  async addFirst(tx: Tx, workspaceId: string, decided: readonly Earning[]): Promise<number> {
    const added = decided.filter(
      ({ contentId, prior, reward }) => contentId !== null && prior !== null && reward === null,
    );
    if (added.length === 0) return 0;
    const last = await advance(tx, workspaceId, added.length);
    const rows = added.map(({ decisionId, contentId, context, prior, earned }, i) => [
      ...[workspaceId, last - added.length + 1 + i, decisionId, contentId],
      ...[JSON.stringify(context), prior, null, earned ?? 0, tx.now],
    ]);
    const statements: Promise<unknown>[] = [];
    let from = 0;
    for (const size of CHUNKS)
      for (; added.length - from >= size; from += size) {
        const piece = rows.slice(from, from + size);
        const ids = added.slice(from, from + size).map(({ decisionId }) => decisionId);
        statements.push(insert(tx, piece), decisions.setFirstRewards(tx, workspaceId, ids));
      }
    await pipeline(statements);
    await tx.notify('outcomes');
    return added.length;
  },

  /** The number of the last entry of each of these workspaces' logs, if there is one. */
  async heads(tx: Tx, workspaceIds: readonly string[]): Promise<{ workspaceId: string; seq: number }[]> {
    const heads: { workspaceId: string; seq: number }[] = [];
    for (let from = 0; from < workspaceIds.length; from += HEADS_PER_QUERY) {
      const part = workspaceIds.slice(from, from + HEADS_PER_QUERY);
      const rows = await tx.sql.all<{ workspaceId: string; seq: number }>(
        `SELECT workspace_id AS "workspaceId", seq FROM reward_head
         WHERE workspace_id IN (${Array(HEADS_PER_QUERY).fill('?').join(', ')})`,
        [...part, ...Array<null>(HEADS_PER_QUERY - part.length).fill(null)],
      );
      heads.push(...rows.map((row) => ({ ...row, seq: Number(row.seq) })));
    }
    return heads;
  },

  /** True if the log of a workspace has entries after a number. */
  async isAhead(store: Pick<Store, 'readOne'>, workspaceId: string, seq: number): Promise<boolean> {
    const head = 'SELECT seq FROM reward_head WHERE workspace_id = ? AND seq > ?';
    return (await store.readOne(head, [workspaceId, seq])) !== undefined;
  },

  /** Reads a page of the log after a number, in order. */
  async after(tx: Tx, workspaceId: string, seq: number, limit: number): Promise<Page<NumberedReward>> {
    const { rows, more } = await readPage<Row>(tx, {
      columns: `r.seq, r.decision_id AS "decisionId", r.content_id AS "contentId", d.category, d.attributes, d.features,
        d.hash_id AS "hashId", r.context, r.prior, r.at_ms AS at, r.was, r.reward`,
      long: ['r.content_id', 'r.context', 'd.category', 'd.attributes', 'd.features', 'd.hash_id'],
      from: `reward r JOIN decision d ON d.workspace_id = r.workspace_id AND d.decision_id = r.decision_id
        WHERE r.workspace_id = ? AND r.seq > ?`,
      params: [workspaceId, seq],
      order: 'r.seq',
      limit,
    });
    const entries = rows.map((row) => ({
      seq: Number(row.seq),
      decisionId: row.decisionId,
      contentId: row.contentId,
      category: row.category ?? '',
      attributes: row.attributes === null ? [] : JSON.parse(row.attributes),
      features:
        row.features === null
          ? featuresOf(JSON.parse(row.context))
          : unpackFeatures(JSON.parse(row.features)),
      // Empty after the erasure of the user.
      user: row.hashId === '' ? null : row.hashId,
      prior: row.prior,
      at: Number(row.at),
      from: row.was,
      to: row.reward,
    }));
    return { rows: entries, more };
  },
};

/** Numbers entries of the log of a workspace; returns the last number. Locks the log until the transaction ends. */
async function advance(tx: Tx, workspaceId: string, entries: number): Promise<number> {
  const head = await tx.sql.get<{ seq: number }>(
    `INSERT INTO reward_head (workspace_id, seq) VALUES (?, ?)
     ON CONFLICT (workspace_id) DO UPDATE SET seq = reward_head.seq + excluded.seq RETURNING seq`,
    [workspaceId, entries],
  );
  return Number(head!.seq);
}

/** Inserts entries of the log. */
function insert(tx: Tx, rows: readonly SqlValue[][]): Promise<number> {
  return tx.sql.run(
    `INSERT INTO reward (workspace_id, seq, decision_id, content_id, context, prior, was, reward, at_ms)
     VALUES ${Array(rows.length).fill('(?, ?, ?, ?, ?, ?, ?, ?, ?)').join(', ')}`,
    rows.flat(),
  );
}
