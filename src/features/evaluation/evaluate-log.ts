import { type Evaluation, Evaluator, type Others, POLICIES, RESTS } from './estimators.ts';

/** A decision of the log as the service returns it. */
export interface LogEntry {
  readonly contentId: string | null;
  readonly candidates: readonly {
    readonly contentId: string;
    readonly propensity: number;
    readonly ranking: number;
  }[];
  /** Null while the decision does not count: its message was not served yet. */
  readonly reward: number | null;
  readonly others?: Others | undefined;
}

export interface LogEvaluation {
  /** Evaluated decisions: those with an action. */
  readonly decisions: number;
  /** Decisions whose message was not served yet: they do not count, neither here nor for what is learned. */
  readonly pending: number;
  /** Decisions without an action, or without the propensity of the action. */
  readonly skipped: number;
  /** Null for an empty log. */
  readonly policies: Readonly<Record<keyof typeof POLICIES, Evaluation | null>>;
}

/** Evaluates the policies on a paged log. Holds at most one page in memory. */
export async function evaluateLog(pages: AsyncIterable<readonly LogEntry[]>): Promise<LogEvaluation> {
  const evaluators = Object.entries(POLICIES).map(
    ([name, policy]) =>
      [name as keyof typeof POLICIES, new Evaluator(policy, RESTS[name as keyof typeof POLICIES])] as const,
  );
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
