import { listed } from '../../platform/store/listed.ts';
import { conditionsOf, type Page, readPage } from '../../platform/store/pages.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { Tx } from '../../platform/store/store.ts';
import { packFeatures } from '../engine/features.ts';
import {
  COLUMNS,
  type DecisionRecord,
  fromRow,
  LONG,
  type LoggedDecision,
  type Row,
} from './decision-record.ts';
import { noteCounting } from './earnings.ts';

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

  async get(tx: Tx, workspaceId: string, decisionId: string): Promise<LoggedDecision | undefined> {
    const row = await tx.sql.get<Row>(
      `SELECT ${COLUMNS} FROM decision WHERE workspace_id = ? AND decision_id = ?`,
      [workspaceId, decisionId],
    );
    return row && fromRow(row);
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

/** True for a learned choice of another than the most likely candidate: it was tried so that the model learns. */
const isTried = ({ policy, contentId, candidates }: DecisionRecord): boolean => {
  const chosen = candidates.find((candidate) => candidate.contentId === contentId);
  return policy === null && candidates.some(({ propensity }) => propensity > (chosen?.propensity ?? 1));
};
