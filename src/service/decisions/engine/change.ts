import type { PartDelays } from './delays.ts';

/** The decrease of the log-odds of a response to detect, and the detection threshold (log-likelihood). */
const FALL = 1;
const THRESHOLD = 14;
/** The threshold shortly after another content dropped: changes come together. */
const SECOND_THRESHOLD = 6;

/** Maximum number of decisions stored for late responses. A response to another one has no effect here. */
export const MAX_RECENT = 4096;
/** Contents whose evidence is kept, at most; the one not counted for the longest time makes room. */
const MAX_SUMS = 10_000;
/** A decision is counted once it is older than this share of the responses were, of each part of the reward. */
const SETTLED = 0.95;
/** If two contents drop within this number of decisions, everything is learned again. */
const TOGETHER = 500;

/** A learned decision, and what each expert predicted for it. */
export interface Recent {
  readonly decision: number;
  readonly contentId: string;
  readonly at: number;
  readonly predicted: Float64Array;
  /** The prediction that the detector uses. */
  readonly expected: number;
  /** Number of the decision in the model's own count. */
  readonly nth: number;
  response: number;
  /** False while responses may come, and where the content was returned to its prior meanwhile. */
  counted: boolean;
}

/** Log-likelihood ratio of "the log-odds fell by `FALL`" against "as expected", for one response. */
function evidenceOfFall(expected: number, response: number): number {
  const p = Math.min(Math.max(expected, 1e-6), 1 - 1e-6);
  const odds = (p / (1 - p)) * Math.exp(-FALL);
  const fallen = odds / (1 + odds);
  return response * Math.log(fallen / p) + (1 - response) * Math.log((1 - fallen) / (1 - p));
}

/**
 * Detects a drop in the response rate of a content: a downward CUSUM (Page, 1954) per content. A decision is counted only
 * after nearly all responses would have come; a later one corrects it.
 */
export class ChangeDetector {
  readonly recent = new Map<number, Recent>();
  /** Those of `recent` that are to be counted, the oldest first. */
  readonly waiting = new Map<number, Recent>();
  readonly sums = new Map<string, number>();
  lastFall = Number.NEGATIVE_INFINITY;
  /** When everything was last to be learned again, Unix ms; null if it never was. */
  resetAt: number | null = null;

  /** Takes in a decision. While all that fit wait to be counted, further ones are left out. */
  add(decision: Recent): void {
    if (this.recent.size >= MAX_RECENT) {
      const [oldest] = this.recent.keys();
      if (this.waiting.has(oldest!)) return;
      this.recent.delete(oldest!);
    }
    this.recent.set(decision.decision, decision);
    if (!decision.counted) this.waiting.set(decision.decision, decision);
  }

  /** Counts the decisions that are old enough. Yields each that reveals a drop of its content. */
  *count(delays: PartDelays, now: number, decisions: number): Generator<Recent> {
    for (const [decision, recent] of this.waiting) {
      const { contentId, expected, response, at, nth } = recent;
      if (!delays.haveAllPassed(SETTLED, { ms: now - at, decisions: decisions - nth })) break;
      this.waiting.delete(decision);
      recent.counted = true;
      const sum = Math.max(0, (this.sums.get(contentId) ?? 0) + evidenceOfFall(expected, response));
      if (!this.sums.delete(contentId) && this.sums.size >= MAX_SUMS)
        this.sums.delete(this.sums.keys().next().value!);
      this.sums.set(contentId, sum);
      if (sum > (this.#isNear(nth) ? SECOND_THRESHOLD : THRESHOLD)) yield recent;
    }
  }

  /** Corrects what was counted for a decision, or will be. */
  correct(decision: Recent, response: number): void {
    const { contentId, expected } = decision;
    const change = evidenceOfFall(expected, response) - evidenceOfFall(expected, decision.response);
    const sum = this.sums.get(contentId);
    if (decision.counted && sum !== undefined) this.sums.set(contentId, Math.max(0, sum + change));
    decision.response = response;
  }

  /** Records a drop of a content. Returns true if another content dropped shortly before: all is to be learned again. */
  fell({ contentId, nth }: Recent, now: number): boolean {
    const together = this.#isNear(nth);
    if (together) this.resetAt = now;
    // After a drop of two everything is learned again, and nothing is left to drop together with.
    this.lastFall = together ? Number.NEGATIVE_INFINITY : nth;
    // What waits was expected by what is forgotten now.
    for (const [decision, recent] of this.waiting)
      if (together || recent.contentId === contentId) this.waiting.delete(decision);
    if (together) this.sums.clear();
    else this.sums.delete(contentId);
    return together;
  }

  #isNear(nth: number): boolean {
    return nth - this.lastFall <= TOGETHER;
  }
}
