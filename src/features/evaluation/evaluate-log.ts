import { type Evaluation, Evaluator } from './estimators.ts';
import type { LoggedDecision, Range } from './logged-decision.ts';
import type { Policy } from './policies.ts';

/** A decision of the log. Unknown numbers are NaN. */
export interface LogEntry extends Pick<LoggedDecision, 'candidates' | 'others'> {
  /** Null if the decision had no action. */
  readonly contentId: string | null;
  /** Null while the decision does not count: its message was not served yet. */
  readonly reward: number | null;
}

export interface LogEvaluation {
  /** Evaluated decisions: those with an action. */
  readonly decisions: number;
  /** Decisions whose message was not served yet: they do not count, neither here nor for what is learned. */
  readonly pending: number;
  /** Decisions without an action, or without the propensity of the action. */
  readonly skipped: number;
  /** Null for a policy that has no candidate in any decision. */
  readonly policies: Readonly<Record<string, Evaluation | null>>;
}

export interface EvaluateOptions {
  readonly policies: ReadonlyMap<string, Policy>;
  readonly range?: Range | undefined;
}

/** Evaluates policies on a paged log. Holds at most one page in memory. */
export async function evaluateLog(
  pages: AsyncIterable<readonly LogEntry[]>,
  { policies, range }: EvaluateOptions,
): Promise<LogEvaluation> {
  const evaluators = [...policies].map(([name, policy]) => [name, new Evaluator(policy, range)] as const);
  let decisions = 0;
  let pending = 0;
  let skipped = 0;
  for await (const page of pages) {
    for (const { contentId, candidates, reward, others } of page) {
      const chosen = candidates.findIndex((candidate) => candidate.contentId === contentId);
      if (chosen < 0 || !(candidates[chosen]!.propensity > 0)) {
        skipped++;
        continue;
      }
      if (reward === null) {
        pending++;
        continue;
      }
      decisions++;
      for (const [, evaluator] of evaluators) evaluator.add({ candidates, chosen, reward, others });
    }
  }
  const results = evaluators.map(([name, evaluator]) => [name, evaluator.result()]);
  return { decisions, pending, skipped, policies: Object.fromEntries(results) };
}
