import type { Candidate } from './decide.ts';

/** Bytes of JSON that the candidates of a decision may take in the log. */
const MOST_BYTES = 1_200;

/** Summary of the candidates that the log does not list. */
export interface Others {
  readonly count: number;
  /** Sum of their propensities. */
  readonly propensity: number;
  /** Mean of their rankings. */
  readonly ranking: number;
  /** Sum of propensity × ranking: their contribution to the expected reward of the logged policy. */
  readonly expected: number;
}

/**
 * Selects the candidates of a decision for the log: all if there is space, otherwise the chosen one, the best ranked and
 * the most likely ones, and a summary of the others that is sufficient to evaluate policies.
 */
export function logged(
  candidates: readonly Candidate[],
  chosen: string | null,
): { candidates: readonly Candidate[]; others: Others | null } {
  if (bytesOf(candidates) <= MOST_BYTES) return { candidates, others: null };
  let best = candidates[0]!;
  for (const candidate of candidates) if (candidate.ranking > best.ranking) best = candidate;
  const rank = (candidate: Candidate) =>
    candidate.contentId === chosen ? 3 : candidate === best ? 2 : candidate.propensity;
  const kept = new Set<Candidate>();
  let bytes = 0;
  for (const candidate of [...candidates].sort((a, b) => rank(b) - rank(a))) {
    bytes += bytesOf([candidate]);
    if (rank(candidate) < 2 && bytes > MOST_BYTES) break;
    kept.add(candidate);
  }
  const rest = candidates.filter((candidate) => !kept.has(candidate));
  const sum = (of: (candidate: Candidate) => number) => rest.reduce((total, each) => total + of(each), 0);
  return {
    candidates: candidates.filter((candidate) => kept.has(candidate)),
    others: {
      count: rest.length,
      propensity: sum(({ propensity }) => propensity),
      ranking: sum(({ ranking }) => ranking) / Math.max(rest.length, 1),
      expected: sum(({ propensity, ranking }) => propensity * ranking),
    },
  };
}

const bytesOf = (candidates: readonly Candidate[]) => Buffer.byteLength(JSON.stringify(candidates));
