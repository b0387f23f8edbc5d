/** A fall of the log-odds of a response that is worth noticing, and how sure the detector must be (log-likelihood). */
const FALL = 1;
const THRESHOLD = 14;

/** Decisions kept until their outcome is nearly certain. Beyond it, an outcome changes nothing here. */
export const MAX_RECENT = 4096;
/** Delays of the last responses, of which the median says when a silence starts to count. */
const MAX_DELAYS = 63;
/** Two contents that fell within so many decisions mean that the whole world changed. */
const TOGETHER = 300;

/** A decision that was folded in, and what each copy of the model predicted for it. */
export interface Recent {
  readonly decision: number;
  readonly contentId: string;
  /** Which life of the content it belongs to; another one after the content was returned to its prior. */
  readonly life: number;
  readonly at: number;
  readonly predicted: Float64Array;
  /** The prediction that the detector works with. */
  readonly expected: number;
  /** Number of the decision in the model's own count. */
  readonly nth: number;
  response: number;
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
 * Notices that a content stopped earning what it did: a downward CUSUM (Page, 1954) for each content. A decision is
 * counted only once it is older than the median delay of a response, so that silence is not taken for a refusal too
 * early; a response that comes later still is corrected.
 */
export class ChangeDetector {
  readonly recent = new Map<number, Recent>();
  /** Those of them that are not counted yet, the oldest first. */
  readonly waiting = new Map<number, Recent>();
  readonly delays: number[] = [];
  readonly sums = new Map<string, number>();
  lastFall = Number.NEGATIVE_INFINITY;
  #delay: number | null = null;

  add(decision: Recent): void {
    if (this.recent.size >= MAX_RECENT) {
      const oldest = this.recent.keys().next().value!;
      this.recent.delete(oldest);
      this.waiting.delete(oldest);
    }
    this.recent.set(decision.decision, decision);
    this.waiting.set(decision.decision, decision);
  }

  /** Takes note of the delay of a response, in ms. */
  responded(delay: number): void {
    this.delays.push(Math.max(delay, 0));
    if (this.delays.length > MAX_DELAYS) this.delays.shift();
    this.#delay = null;
  }

  /** Corrects what was counted for a decision. */
  correct(decision: Recent, response: number): void {
    if (decision.counted) {
      const change =
        evidenceOfFall(decision.expected, response) - evidenceOfFall(decision.expected, decision.response);
      const sum = this.sums.get(decision.contentId);
      if (sum !== undefined) this.sums.set(decision.contentId, Math.max(0, sum + change));
    }
    decision.response = response;
  }

  /**
   * Counts the decisions that are old enough at `now`; returns the contents that fell. `life` is the life of a
   * content: what belongs to an earlier one is passed over.
   */
  ripen(now: number, life: (contentId: string) => number): string[] {
    const fallen: string[] = [];
    const before = now - this.#medianDelay();
    for (const [key, decision] of this.waiting) {
      if (decision.at >= before) break;
      this.waiting.delete(key);
      decision.counted = true;
      if (life(decision.contentId) !== decision.life) continue;
      const known = this.sums.get(decision.contentId) ?? 0;
      const sum = Math.max(0, known + evidenceOfFall(decision.expected, decision.response));
      if (sum > THRESHOLD) {
        fallen.push(decision.contentId);
        this.sums.delete(decision.contentId);
      } else this.sums.set(decision.contentId, sum);
    }
    return fallen;
  }

  /** Takes note that a content fell; true where another did shortly before. */
  fell(nth: number): boolean {
    const together = nth - this.lastFall <= TOGETHER;
    this.lastFall = nth;
    return together;
  }

  #medianDelay(): number {
    this.#delay ??= [...this.delays].sort((a, b) => a - b)[this.delays.length >> 1] ?? 0;
    return this.#delay;
  }
}
