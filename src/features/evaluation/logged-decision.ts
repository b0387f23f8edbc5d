/** A logged decision: its candidates, the chosen one and its reward. Unknown numbers are NaN. */
export interface LoggedDecision {
  /** Each candidate with its probability under the logging policy and its predicted reward. */
  readonly candidates: readonly {
    readonly contentId: string;
    readonly propensity: number;
    readonly ranking: number;
  }[];
  /** Index of the candidate that was chosen; its propensity is known and positive. */
  readonly chosen: number;
  readonly reward: number;
  /** Candidates that the log does not name, together. */
  readonly others?: Others | undefined;
}

/** How many there are, their mean predicted reward, and what the policy that ran expects of them. */
interface Others {
  readonly count: number;
  readonly ranking: number;
  readonly expected: number;
}

/** The smallest and the largest possible reward. */
export interface Range {
  readonly low: number;
  readonly high: number;
}

/** The range of a reward in the service's own log. */
export const UNIT: Range = { low: 0, high: 1 };

/** An estimated mean reward with its 95 % confidence interval, which lies in the range of a reward. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}
