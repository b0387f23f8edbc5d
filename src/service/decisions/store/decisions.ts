import { due } from '../../platform/store/due.ts';
import { listed } from '../../platform/store/listed.ts';
import { conditionsOf, type Page, readPage } from '../../platform/store/pages.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import { rowsQuery } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';
import { packFeatures } from '../engine/features.ts';
import {
  COLUMNS,
  type DecisionRecord,
  fromRow,
  LONG,
  type LoggedDecision,
  numbersIn,
  type Row,
} from './decision-record.ts';

/** Which part of the log, and in which order; times are Unix ms. */
export interface LogFilter {
  readonly newest?: boolean;
  /** The number of the decision before the page. */
  readonly after?: number | undefined;
  readonly hashId?: string | undefined;
  readonly contentId?: string | undefined;
  readonly since?: number | undefined;
  readonly until?: number | undefined;
}

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

/**
 * Per engine: the number of a new decision, above those of removed ones. PostgreSQL gives numbers of its own, so that
 * decisions do not wait.
 */
const NUMBER = {
  sqlite: `(SELECT max(COALESCE((SELECT max(seq) FROM decision WHERE workspace_id = ?), 0),
    COALESCE((SELECT number FROM removal WHERE workspace_id = ? AND log = 'decisions'), 0)) + 1)`,
  postgres: 'DEFAULT',
} as const;

export const decisions = {
  /**
   * Stores a decision, with the attributes of the chosen content, which only the learner reads. With `counts` it counts
   * from now on, as by `startCounting`.
   */
  async add(
    tx: Tx,
    workspaceId: string,
    record: DecisionRecord & { readonly attributes: readonly number[] },
    counts = false,
  ): Promise<void> {
    const { name: engine } = tx.sql.dialect;
    const inserted = tx.sql.run(
      `INSERT INTO decision (seq, workspace_id, decision_id, hash_id, at_ms, context, content_id, candidates, prior,
         model_version, seed, features, category, attributes, others, policy, tried, reason, explanation, removed, counted_at)
       VALUES (${NUMBER[engine]}, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...(engine === 'sqlite' ? [workspaceId, workspaceId] : []),
        workspaceId,
        record.decisionId,
        record.hashId,
        tx.now,
        JSON.stringify(record.context),
        record.contentId,
        JSON.stringify(record.candidates.map((c) => [c.contentId, c.propensity, c.ranking])),
        record.prior,
        record.modelVersion,
        record.seed,
        record.features && JSON.stringify(packFeatures(record.features)),
        record.category,
        record.attributes.length > 0 ? JSON.stringify(record.attributes) : null,
        record.others && JSON.stringify(Object.values(record.others)),
        record.policy,
        isTried(record) ? 1 : null,
        record.reason,
        record.explanation,
        record.removed &&
          JSON.stringify(record.removed.map((r) => [r.rule, r.name ?? '', r.count, ...r.contentIds])),
        counts ? tx.now : null,
      ],
    );
    await pipeline([inserted, counts && noteCounting(tx, workspaceId)]);
  },

  /** Reads a decision and locks it for the rest of the transaction. */
  async lockForUpdate(tx: Tx, workspaceId: string, decisionId: string): Promise<Earning | undefined> {
    const row = await tx.sql.get<EarningRow>(
      `SELECT ${EARNING} FROM decision WHERE workspace_id = ? AND decision_id = ? ${tx.sql.dialect.forUpdate}`,
      [workspaceId, decisionId],
    );
    return row && earningOf(row);
  },

  async get(tx: Tx, workspaceId: string, decisionId: string): Promise<LoggedDecision | undefined> {
    const row = await tx.sql.get<Row>(
      `SELECT ${COLUMNS} FROM decision WHERE workspace_id = ? AND decision_id = ?`,
      [workspaceId, decisionId],
    );
    return row && fromRow(row);
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

  /** The locales that decisions were made for, of those that name one. */
  async localesOf(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<Map<string, string>> {
    if (ids.length === 0) return new Map();
    const { text, param } = listed(tx.sql.dialect, 'decision_id', ids);
    const rows = await tx.sql.all<{ id: string; context: string }>(
      `SELECT decision_id AS id, context FROM decision WHERE workspace_id = ? AND ${text}`,
      [workspaceId, param],
    );
    return new Map(
      rows.flatMap(({ id, context }) => {
        const { locale } = JSON.parse(context) as { locale?: string };
        return locale === undefined ? [] : [[id, locale] as const];
      }),
    );
  },

  /** Takes note of what the user did with a decision's message. */
  async setOutcome(tx: Tx, workspaceId: string, decisionId: string, outcome: string): Promise<void> {
    await tx.sql.run('UPDATE decision SET outcome = ? WHERE workspace_id = ? AND decision_id = ?', [
      outcome,
      workspaceId,
      decisionId,
    ]);
  },

  /** Counts the outcomes of a user's last `limit` decisions that count; `silent` for none. */
  async history(tx: Tx, workspaceId: string, hashId: string, limit: number): Promise<Record<string, number>> {
    const rows = await tx.sql.all<{ outcome: string | null }>(
      `SELECT outcome FROM decision WHERE workspace_id = ? AND hash_id = ? AND counted_at IS NOT NULL
       ORDER BY seq DESC LIMIT ?`,
      [workspaceId, hashId, limit],
    );
    const counts: Record<string, number> = {};
    for (const { outcome } of rows) counts[outcome ?? 'silent'] = (counts[outcome ?? 'silent'] ?? 0) + 1;
    return counts;
  },

  /** Reads a page of the decisions of a workspace after a number of the log, oldest first. */
  async after(tx: Tx, workspaceId: string, seq: number, limit: number): Promise<Page<LoggedDecision>> {
    return decisions.page(tx, workspaceId, { after: seq }, limit);
  },

  /** Reads a page of the decisions of a workspace that a filter admits, in its order. */
  async page(tx: Tx, workspaceId: string, filter: LogFilter, limit: number): Promise<Page<LoggedDecision>> {
    const { newest, after, hashId, contentId, since, until } = filter;
    const { text, params } = conditionsOf([
      [newest ? 'seq < ?' : 'seq > ?', after],
      ['hash_id = ?', hashId],
      ['content_id = ?', contentId],
      ['at_ms >= ?', since],
      ['at_ms < ?', until],
    ]);
    const { rows, more } = await readPage<Row>(tx, {
      columns: COLUMNS,
      long: LONG,
      from: `decision WHERE workspace_id = ?${text}`,
      params: [workspaceId, ...params],
      order: newest ? 'seq DESC' : 'seq',
      limit,
    });
    return { rows: rows.map(fromRow), more };
  },
};

/** Tells the reward log writer that a decision counts and has no entry in the reward log. */
async function noteCounting(tx: Tx, workspaceId: string): Promise<void> {
  await pipeline([due.mark(tx, workspaceId, 'settle'), tx.notify('outcomes')]);
}

/** True for a learned choice of another than the most likely candidate: it was tried so that the model learns. */
const isTried = ({ policy, contentId, candidates }: DecisionRecord): boolean => {
  const chosen = candidates.find((candidate) => candidate.contentId === contentId);
  return policy === null && candidates.some(({ propensity }) => propensity > (chosen?.propensity ?? 1));
};

const earningOf = (row: EarningRow): Earning => ({
  ...row,
  seq: Number(row.seq),
  goals: numbersIn(row.goals),
  given: numbersIn(row.given),
  context: JSON.parse(row.context),
  countedAt: row.countedAt === null ? null : Number(row.countedAt),
});
