import type { Candidate } from '../../domain/decide/decide.ts';
import type { Context } from '../../domain/decide/features.ts';
import { type Page, readPage } from '../pages.ts';
import type { Tx } from '../store.ts';

/** A decision as it is logged, with everything needed to reproduce it and to evaluate other policies. */
export interface DecisionRecord {
  readonly decisionId: string;
  readonly hashId: string;
  readonly context: Context;
  /** Null if no content was chosen. */
  readonly contentId: string | null;
  readonly candidates: readonly Candidate[];
  /** The prior of the chosen content; null if none was chosen. */
  readonly prior: number | null;
  readonly modelVersion: number;
  readonly seed: string;
}

export interface LoggedDecision extends DecisionRecord {
  readonly seq: number;
  /** Unix ms. */
  readonly at: number;
  /** The reward so far; null while unknown. */
  readonly reward: number | null;
}

interface Row {
  seq: number;
  decisionId: string;
  hashId: string;
  at: number;
  context: string;
  contentId: string | null;
  candidates: string;
  prior: number | null;
  modelVersion: number;
  seed: string;
  reward: number | null;
}

const COLUMNS = `seq, decision_id AS "decisionId", hash_id AS "hashId", at_ms AS at, context,
  content_id AS "contentId", candidates, prior, model_version AS "modelVersion", seed, reward`;

/** The fields of a decision that its reward depends on, without the candidates, of which there may be thousands. */
export type Earning = Pick<
  LoggedDecision,
  'decisionId' | 'hashId' | 'context' | 'contentId' | 'prior' | 'reward'
>;

type EarningRow = Omit<Earning, 'context'> & { context: string };

const EARNING = `decision_id AS "decisionId", hash_id AS "hashId", context, content_id AS "contentId", prior, reward`;

export const decisions = {
  async add(tx: Tx, workspaceId: string, record: DecisionRecord): Promise<void> {
    await tx.sql.run(
      `INSERT INTO decision (workspace_id, decision_id, hash_id, at_ms, context, content_id, candidates, prior,
         model_version, seed) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
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
      ],
    );
  },

  /** Reads a decision and locks it for the rest of the transaction. */
  async lockForUpdate(tx: Tx, workspaceId: string, decisionId: string): Promise<Earning | undefined> {
    const row = await tx.sql.get<EarningRow>(
      `SELECT ${EARNING} FROM decision WHERE workspace_id = ? AND decision_id = ? ${tx.sql.dialect.forUpdate}`,
      [workspaceId, decisionId],
    );
    return row && { ...row, context: JSON.parse(row.context) };
  },

  async setReward(tx: Tx, workspaceId: string, decisionId: string, reward: number): Promise<void> {
    await tx.sql.run('UPDATE decision SET reward = ? WHERE workspace_id = ? AND decision_id = ?', [
      reward,
      workspaceId,
      decisionId,
    ]);
  },

  /** Up to `most` decisions with an action and no known reward, made before `before`, oldest first. */
  async open(tx: Tx, before: number, most: number): Promise<(Earning & { workspaceId: string })[]> {
    const rows = await tx.sql.all<EarningRow & { workspaceId: string }>(
      `SELECT workspace_id AS "workspaceId", ${EARNING} FROM decision
       WHERE reward IS NULL AND content_id IS NOT NULL AND at_ms < ? ORDER BY at_ms LIMIT ? ${tx.sql.dialect.skipLocked}`,
      [before, most],
    );
    return rows.map((row) => ({ ...row, context: JSON.parse(row.context) }));
  },

  /** A page of the decisions of a workspace after a number of the log, oldest first. */
  async after(tx: Tx, workspaceId: string, seq: number, most: number): Promise<Page<LoggedDecision>> {
    const { rows, more } = await readPage<Row>(tx, {
      columns: COLUMNS,
      long: ['hash_id', 'context', 'candidates'],
      from: 'decision WHERE workspace_id = ? AND seq > ?',
      params: [workspaceId, seq],
      order: 'seq',
      most,
    });
    return { rows: rows.map(fromRow), more };
  },
};

function fromRow(row: Row): LoggedDecision {
  const candidates = JSON.parse(row.candidates) as [string, number, number][];
  return {
    ...row,
    seq: Number(row.seq),
    at: Number(row.at),
    modelVersion: Number(row.modelVersion),
    context: JSON.parse(row.context),
    candidates: candidates.map(([contentId, propensity, ranking]) => ({ contentId, propensity, ranking })),
  };
}
