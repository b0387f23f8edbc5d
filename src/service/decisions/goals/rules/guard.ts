/** The probability that a workspace without harm ever has something taken out: half for the learned choice, half for contents. */
const DOUBT = 0.05;

/**
 * The probability with which a guard may ever be wrong of the learned choice, and of one content. The parts of all goals
 * with a guard, and of all contents, add up (Bonferroni), so that together they are wrong with a probability of at most 5 %.
 */
export function doubtsOf({ goals, contents }: { readonly goals: number; readonly contents: number }) {
  const half = DOUBT / 2 / Math.max(1, goals);
  return { learned: half, content: half / Math.max(1, contents) };
}

const HOUR_MS = 3_600_000;

/** The start of the hour of a time, Unix ms. */
export const hourOf = (at: number): number => Math.floor(at / HOUR_MS) * HOUR_MS;

/** Decisions that began to count before this time (Unix ms) are compared: an hour is, once the windows of all its decisions have ended. */
export const horizonOf = (withinMs: number, now: number): number => hourOf(now - withinMs);

/** When the next hour is compared, Unix ms. */
export const nextHorizonAt = (withinMs: number, now: number): number =>
  horizonOf(withinMs, now) + HOUR_MS + withinMs;

/** What guards have taken out of choice. */
export interface TakenOutOfChoice {
  /** By content: the goal of the guard, and when, Unix ms. */
  readonly contents: ReadonlyMap<string, { readonly goalId: string; readonly at: number }>;
  /** The goal of the guard that stopped the learned choice; undefined for none. */
  readonly learned: string | undefined;
}

/** What a guard says of a content, or of the learned choice. */
export interface GuardState {
  /** Decisions that began to count from then on are compared, Unix ms. */
  readonly since: number;
  /** When it was taken out, Unix ms; null for not. */
  readonly removedAt: number | null;
  /** The guard, and the content, by which it was. */
  readonly rule: string;
  readonly digest: string;
  /** Mean values per decision of it and of the holdout group, then. */
  readonly value: number;
  readonly holdout: number;
}

/** What a comparison found. */
export interface Compared {
  readonly isWorse: boolean;
  readonly value: number;
  readonly holdout: number;
}

/** What holds now. */
export interface GuardNow {
  /** Unix ms. */
  readonly at: number;
  /** The guard as text. */
  readonly rule: string;
  /** The content as text or digest; the same for ever for the learned choice. */
  readonly digest: string;
  /** From when on decisions are compared that begin to count after this moment, Unix ms. */
  readonly next: number;
}

/**
 * What a guard says now. What is worse beyond doubt is taken out, and stays so whatever is counted later, until a person
 * changes something: another content, which is compared again, or another guard, by which it is judged again.
 * @param compare compares the decisions since a time, Unix ms
 * @returns the state; undefined where there is nothing to store
 */
export function guardAfter(
  known: GuardState | undefined,
  now: GuardNow,
  compare: (since: number) => Compared,
): GuardState | undefined {
  const { at, rule, digest, next } = now;
  const taken = known !== undefined && known.removedAt !== null;
  if (taken && known.digest !== digest) return { ...known, rule, digest, removedAt: null, since: next };
  if (taken && known.rule === rule) return known;
  const since = known?.since ?? 0;
  const { isWorse, value, holdout } = compare(since);
  if (isWorse) return { since, removedAt: known?.removedAt ?? at, rule, digest, value, holdout };
  if (!taken) return known;
  return { ...known, removedAt: null, rule, digest };
}
