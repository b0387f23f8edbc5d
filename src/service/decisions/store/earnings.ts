import { due } from '../../platform/store/due.ts';
import { listed } from '../../platform/store/listed.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import { rowsQuery } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';
import { type LoggedDecision, numbersIn } from './decision-record.ts';

/** What of a decision its reward depends on: not the candidates, which may be long. */
export type Earning = Pick<
  LoggedDecision,
  | 'decisionId'
  | 'seq'
  | 'hashId'
  | 'context'
  | 'contentId'
  | 'prior'
  | 'countedAt'
  | 'policy'
  | 'goals'
  | 'given'
> & {
  /** What the reward log says; null while it has no entry. */
  readonly reward: number | null;
  /** What the outcomes of its message are worth; null without any. */
  readonly earned: number | null;
  /** Of its content, then. */
  readonly category: string | null;
};

type EarningRow = Omit<Earning, 'context' | 'goals' | 'given'> & {
  context: string;
  goals: string | null;
  given: string | null;
};

const EARNING = `decision_id AS "decisionId", seq, hash_id AS "hashId", context, content_id AS "contentId", prior, reward,
  earned, counted_at AS "countedAt", policy, goals, given, category`;

/** What decisions earn: which of them count, from when on, and what the outcomes and events since say. */
export const earnings = {
  /** Reads a decision and locks it for the rest of the transaction. */
  async lockForUpdate(tx: Tx, workspaceId: string, decisionId: string): Promise<Earning | undefined> {
    const row = await tx.sql.get<EarningRow>(
      `SELECT ${EARNING} FROM decision WHERE workspace_id = ? AND decision_id = ? ${tx.sql.dialect.forUpdate}`,
      [workspaceId, decisionId],
    );
    return row && earningOf(row);
  },

  /** Reads decisions and locks them for the rest of the transaction, in the order of their ids. */
  async lockAll(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<Earning[]> {
    const { text, param } = listed(tx.sql.dialect, 'decision_id', ids);
    const rows = await tx.sql.all<EarningRow>(
      `SELECT ${EARNING} FROM decision WHERE workspace_id = ? AND ${text}
       ORDER BY decision_id ${tx.sql.dialect.forUpdate}`,
      [workspaceId, param],
    );
    return rows.map(earningOf);
  },

  /**
   * Starts to count a decision, now, unless it counts already, with its reward so far. The reward log writer adds it to
   * the reward log: that log has one row to lock for a whole workspace, for which no request should wait.
   */
  async startCounting(
    tx: Tx,
    workspaceId: string,
    decisionId: string,
    earned: number | null = null,
  ): Promise<void> {
    await pipeline([
      tx.sql.run(
        `UPDATE decision SET counted_at = COALESCE(counted_at, ?), earned = ?
         WHERE workspace_id = ? AND decision_id = ?`,
        [tx.now, earned, workspaceId, decisionId],
      ),
      noteCounting(tx, workspaceId),
    ]);
  },

  /** Up to `limit` decisions of a workspace that count and have no reward yet, the longest counting first. */
  async counting(tx: Tx, workspaceId: string, limit: number): Promise<Earning[]> {
    const rows = await tx.sql.all<EarningRow>(
      `SELECT ${EARNING} FROM decision WHERE workspace_id = ? AND reward IS NULL AND counted_at IS NOT NULL
       ORDER BY counted_at LIMIT ? ${tx.sql.dialect.skipLocked}`,
      [workspaceId, limit],
    );
    return rows.map(earningOf);
  },

  /** True while a decision of the workspace waits for its first entry in the reward log. */
  async anyUnsettled(tx: Tx, workspaceId: string): Promise<boolean> {
    const row = await tx.sql.get(
      'SELECT 1 AS one FROM decision WHERE workspace_id = ? AND reward IS NULL AND counted_at IS NOT NULL LIMIT 1',
      [workspaceId],
    );
    return row !== undefined;
  },

  /** When the decision of a workspace began to count that has waited longest for its first entry in the reward log, Unix ms. */
  async firstUnsettled(tx: Tx, workspaceId: string): Promise<number | undefined> {
    const row = await tx.sql.get<{ at: number }>(
      `SELECT counted_at AS at FROM decision WHERE workspace_id = ? AND reward IS NULL AND counted_at IS NOT NULL
       ORDER BY counted_at LIMIT 1`,
      [workspaceId],
    );
    return row && Number(row.at);
  },

  /**
   * Up to `limit` decisions after a number that count and have a reward, in the order of their numbers, locked for the rest
   * of the transaction. Those of erased users are left out: what they earned stays.
   */
  async rewardedAfter(tx: Tx, workspaceId: string, seq: number, limit: number): Promise<Earning[]> {
    const rows = await tx.sql.all<EarningRow>(
      `SELECT ${EARNING} FROM decision WHERE workspace_id = ? AND seq > ? AND reward IS NOT NULL AND hash_id <> ''
       ORDER BY seq LIMIT ? ${tx.sql.dialect.forUpdate}`,
      [workspaceId, seq, limit],
    );
    return rows.map(earningOf);
  },

  /** Sets the reward of decisions, which count from now on if they did not. */
  async setReward(tx: Tx, workspaceId: string, ids: readonly string[], reward: number): Promise<void> {
    await tx.sql.run(
      `UPDATE decision SET reward = ?, counted_at = COALESCE(counted_at, ?)
       WHERE workspace_id = ? AND decision_id IN (${Array(ids.length).fill('?').join(', ')})`,
      [reward, tx.now, workspaceId, ...ids],
    );
  },

  /** Sets what the outcomes of a decision's message are worth. */
  async setEarned(tx: Tx, workspaceId: string, decisionId: string, earned: number): Promise<void> {
    await tx.sql.run('UPDATE decision SET earned = ? WHERE workspace_id = ? AND decision_id = ?', [
      earned,
      workspaceId,
      decisionId,
    ]);
  },

  /** Sets what the events of locked decisions count for their goals. */
  async setGoals(tx: Tx, workspaceId: string, changed: readonly Earning[]): Promise<void> {
    const { text, param } = rowsQuery(
      tx.sql.dialect,
      changed.map(({ decisionId, goals }) => [
        decisionId,
        Object.keys(goals).length === 0 ? null : JSON.stringify(goals),
      ]),
    );
    await tx.sql.run(
      `WITH v AS MATERIALIZED (${text}) UPDATE decision SET goals = v.c1 FROM v
       WHERE workspace_id = ? AND decision_id = v.c0`,
      [param, workspaceId],
    );
  },

  /** Sets the rewards that were reported for a decision, by goalId. */
  async setGiven(
    tx: Tx,
    workspaceId: string,
    decisionId: string,
    given: Readonly<Record<string, number>>,
  ): Promise<void> {
    await tx.sql.run('UPDATE decision SET given = ? WHERE workspace_id = ? AND decision_id = ?', [
      JSON.stringify(given),
      workspaceId,
      decisionId,
    ]);
  },
};

/** Tells the reward log writer that a decision counts and has no entry in the reward log. */
export async function noteCounting(tx: Tx, workspaceId: string): Promise<void> {
  await pipeline([due.mark(tx, workspaceId, 'settle'), tx.notify('outcomes')]);
}

const earningOf = (row: EarningRow): Earning => ({
  ...row,
  seq: Number(row.seq),
  goals: numbersIn(row.goals),
  given: numbersIn(row.given),
  context: JSON.parse(row.context),
  countedAt: row.countedAt === null ? null : Number(row.countedAt),
});
