import type { Candidate, Choice } from './decide.ts';
import type { Explanation } from './explain.ts';
import { highest } from './policy.ts';
import type { Removed } from './removed.ts';

/** Bytes of JSON that the candidates of a decision may take in the log, and those together with the explanation. */
const MAX_BYTES = 1_200;
const MAX_TOTAL = 1_450;
/** Bytes of the reason, and of JSON of what was removed, and of what moved the choice. */
const MAX_REASON = 400;
const MAX_REMOVED = 400;
const MAX_MOVED = 400;
/** So many candidates or fewer fit into MAX_BYTES: each takes this much without its name and digits. */
const MAX_NAMED = Math.floor(MAX_BYTES / '{"contentId":"","propensity":0,"ranking":0},'.length);

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

/** The part of a choice that the log stores, within its bounds. */
export interface LoggedChoice {
  readonly candidates: readonly Candidate[];
  readonly others: Others | null;
  readonly reason: string;
  readonly removed: readonly Removed[];
  readonly explanation: Explanation | null;
}

/** Selects what the log stores of a choice: its explanation, and the candidates that have space beside it. */
export function logged({ candidates, chosen, reason, removed, explanation }: Choice): LoggedChoice {
  const why = { reason: shortened(reason), removed: largest(removed), explanation: fitting(explanation) };
  const space = Math.min(MAX_BYTES, MAX_TOTAL - bytesOf(why));
  return { ...listed(candidates, chosen?.contentId ?? null, space), ...why };
}

/**
 * Selects the candidates of a decision for the log: all if there is space, otherwise the chosen one, the best ranked and
 * the most likely ones, and a summary of the others that is sufficient to evaluate policies.
 */
function listed(
  candidates: readonly Candidate[],
  chosen: string | null,
  limit: number,
): { candidates: readonly Candidate[]; others: Others | null } {
  if (candidates.length <= MAX_NAMED && bytesOf(candidates) <= limit) return { candidates, others: null };
  let best = candidates[0]!;
  for (const candidate of candidates) if (candidate.ranking > best.ranking) best = candidate;
  const rank = (candidate: Candidate) =>
    candidate.contentId === chosen ? 3 : candidate === best ? 2 : candidate.propensity;
  const kept = new Set<Candidate>();
  let bytes = 0;
  for (const candidate of highest(candidates, MAX_NAMED, rank)) {
    bytes += bytesOf([candidate]);
    if (rank(candidate) < 2 && bytes > limit) break;
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

/** Cuts a reason to MAX_REASON bytes of JSON, between characters. */
function shortened(reason: string): string {
  const bytesIn = (text: string) => Buffer.byteLength(JSON.stringify(text)) - '""'.length;
  if (bytesIn(reason) <= MAX_REASON) return reason;
  let text = '';
  let bytes = bytesIn('…');
  for (const character of reason) {
    bytes += bytesIn(character);
    if (bytes > MAX_REASON) break;
    text += character;
  }
  return `${text}…`;
}

/** An explanation with as many effects as there is space for; null if there is none for the largest. */
function fitting(explanation: Explanation | null): Explanation | null {
  if (!explanation) return null;
  const { effects, change, ...contents } = explanation;
  for (let count = effects.length; count > 0; count--) {
    const moved = { effects: effects.slice(0, count), change };
    if (bytesOf(moved) <= MAX_MOVED) return { ...contents, ...moved };
  }
  return null;
}

/** The rules that excluded most, as far as there is space; what does not fit is added up as `others`. */
function largest(removed: readonly Removed[]): readonly Removed[] {
  const kept: Removed[] = [];
  let others = 0;
  // Space for the entry of the others is left free.
  let bytes = bytesOf([{ rule: 'others', count: 10_000, contentIds: [] }]);
  for (const each of [...removed].sort((a, b) => b.count - a.count)) {
    const short = { ...each, contentIds: [] };
    const fitting = [each, short].find((entry) => bytes + bytesOf([entry]) <= MAX_REMOVED);
    if (fitting) {
      kept.push(fitting);
      bytes += bytesOf([fitting]);
    } else others += each.count;
  }
  return others === 0 ? kept : [...kept, { rule: 'others', count: others, contentIds: [] }];
}

const bytesOf = (value: object) => Buffer.byteLength(JSON.stringify(value));
