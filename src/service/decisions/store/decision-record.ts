import type { Candidate } from '../engine/decide.ts';
import { type Context, type Feature, unpackFeatures } from '../engine/features.ts';
import type { Others } from '../engine/log-entry.ts';
import type { Removed } from '../engine/removed.ts';

/** A decision as it is logged, with everything needed to reproduce it and to evaluate other policies. */
export interface DecisionRecord {
  readonly decisionId: string;
  readonly hashId: string;
  readonly context: Context;
  /** Null if no content was chosen. */
  readonly contentId: string | null;
  readonly candidates: readonly Candidate[];
  /** The candidates not named, together; null where all are. */
  readonly others: Others | null;
  /** Why it was made; null for a decision of an earlier version or of an erased user. */
  readonly reason: string | null;
  /** What moved the choice, encrypted; null where no feature did, and for an erased user. */
  readonly explanation: Uint8Array | null;
  /** What was excluded by which rule; null for a decision of an earlier version. */
  readonly removed: readonly Removed[] | null;
  /** What the choice was made by; null for a decision of an earlier version. */
  readonly features: readonly Feature[] | null;
  /** The chosen content's category; null where nothing was chosen, and for a decision of an earlier version. */
  readonly category: string | null;
  /** The chosen content's prior; null where nothing was chosen. */
  readonly prior: number | null;
  readonly modelVersion: number;
  readonly seed: string;
  /** Null for the learned choice. */
  readonly policy: 'weights' | 'holdout' | null;
}

/** A decision in the log, with what happened since. */
export interface LoggedDecision extends DecisionRecord {
  readonly seq: number;
  /** Unix ms. */
  readonly at: number;
  /** When its silence began to count, Unix ms; null while it was not served, or nothing was chosen. */
  readonly countedAt: number | null;
  /** What it earned so far; null without an outcome, while the reward log has no entry. */
  readonly reward: number | null;
  /** What its events count, in millionths, by the number of the goal. */
  readonly goals: Readonly<Record<string, number>>;
  /** The rewards that were reported, in 0 to 1, by goalId; that of no goal by an empty text. */
  readonly given: Readonly<Record<string, number>>;
}

/** A row of the log, as the engines give it. */
export interface Row {
  seq: number;
  decisionId: string;
  hashId: string;
  at: number;
  context: string;
  contentId: string | null;
  candidates: string;
  others: string | null;
  features: string | null;
  category: string | null;
  countedAt: number | null;
  prior: number | null;
  modelVersion: number;
  seed: string;
  reward: number | null;
  policy: DecisionRecord['policy'];
  reason: string | null;
  explanation: Uint8Array | null;
  removed: string | null;
  goals: string | null;
  given: string | null;
}

/** The columns of a row. */
export const COLUMNS = `seq, decision_id AS "decisionId", hash_id AS "hashId", at_ms AS at, context,
  content_id AS "contentId", candidates, prior, model_version AS "modelVersion", seed, COALESCE(reward, earned) AS reward, others, features,
  category, counted_at AS "countedAt", policy, reason, explanation, removed, goals, given`;

/** The columns that may be long. */
export const LONG = [
  'hash_id',
  'context',
  'candidates',
  'others',
  'features',
  'reason',
  'explanation',
  'removed',
  'goals',
  'given',
];

const readOthers = ([count, propensity, ranking, expected]: [number, number, number, number]): Others => ({
  count,
  propensity,
  ranking,
  expected,
});

const readRemoved = ([rule, name, count, ...contentIds]: [Removed['rule'], string, number, ...string[]]) => ({
  rule,
  ...(name === '' ? {} : { name }),
  count,
  contentIds,
});

/** Parses numbers by name, as the columns `goals` and `given` have them. */
export const numbersIn = (text: string | null): Readonly<Record<string, number>> =>
  text === null ? {} : JSON.parse(text);

/** Parses a row of the log. */
export function fromRow(row: Row): LoggedDecision {
  const candidates = JSON.parse(row.candidates) as [string, number, number][];
  return {
    ...row,
    seq: Number(row.seq),
    at: Number(row.at),
    modelVersion: Number(row.modelVersion),
    context: JSON.parse(row.context),
    features: row.features === null ? null : unpackFeatures(JSON.parse(row.features)),
    others: row.others === null ? null : readOthers(JSON.parse(row.others)),
    removed: row.removed === null ? null : JSON.parse(row.removed).map(readRemoved),
    countedAt: row.countedAt === null ? null : Number(row.countedAt),
    goals: numbersIn(row.goals),
    given: numbersIn(row.given),
    candidates: candidates.map(([contentId, propensity, ranking]) => ({ contentId, propensity, ranking })),
  };
}
