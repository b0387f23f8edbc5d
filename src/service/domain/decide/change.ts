/** A fall of the log-odds of a response that is worth noticing, and how sure the detector must be (log-likelihood). */
const FALL = 1;
const THRESHOLD = 14;

/** Decisions kept for late responses. Beyond it, a response changes nothing here. */
export const MAX_RECENT = 4096;
/** Delays of the last responses, of which the median says when silence starts to count. */
const MAX_DELAYS = 63;
/** Two contents that fell within so many decisions mean that the whole world changed. */
const TOGETHER = 300;

/** A decision that was folded in, and what each copy of the model predicted for it. */
export interface Recent {
  readonly decision: number;
  readonly contentId: string;
  readonly at: number;
  readonly predicted: Float64Array;
  /** The prediction that the detector works with. */
  readonly expected: number;
  /** Number of the decision in the model's own count. */
  readonly nth: number;
  response: number;
}

/** Log-likelihood ratio of "the log-odds fell by `FALL`" against "as expected", for one response. */
function evidenceOfFall(expected: number, response: number): number {
  const p = Math.min(Math.max(expected, 1e-6), 1 - 1e-6);
  const odds = (p / (1 - p)) * Math.exp(-FALL);
  const fallen = odds / (1 + odds);
  return response * Math.log(fallen / p) + (1 - response) * Math.log((1 - fallen) / (1 - p));
}

/**
 * Notices that a content stopped earning what it did: a downward CUSUM (Page, 1954) for each content. Silence comes
 * here only once it is older than the median delay of a response; a response that comes later still is corrected.
 */
export class ChangeDetector {
  readonly recent = new Map<number, Recent>();
  readonly delays: number[] = [];
  readonly sums = new Map<string, number>();
  lastFall = Number.NEGATIVE_INFINITY;
  #delay: number | null = null;

  /** Counts a decision; true where its content fell by it. */
  add(decision: Recent): boolean {
    if (this.recent.size >= MAX_RECENT) this.recent.delete(this.recent.keys().next().value!);
    this.recent.set(decision.decision, decision);
    const { contentId, expected, response } = decision;
    const sum = Math.max(0, (this.sums.get(contentId) ?? 0) + evidenceOfFall(expected, response));
    if (sum > THRESHOLD) this.sums.delete(contentId);
    else this.sums.set(contentId, sum);
    return sum > THRESHOLD;
  }

  /** Corrects what was counted for a decision. */
  correct(decision: Recent, response: number): void {
    const { contentId, expected } = decision;
    const change = evidenceOfFall(expected, response) - evidenceOfFall(expected, decision.response);
    const sum = this.sums.get(contentId);
    if (sum !== undefined) this.sums.set(contentId, Math.max(0, sum + change));
    decision.response = response;
  }

  /** Takes note that a content fell; true where another did shortly before. */
  fell(nth: number): boolean {
    const together = nth - this.lastFall <= TOGETHER;
    this.lastFall = nth;
    return together;
  }

  /** Takes note of the delay of a response, in ms. */
  responded(delay: number): void {
    this.delays.push(Math.max(delay, 0));
    if (this.delays.length > MAX_DELAYS) this.delays.shift();
    this.#delay = null;
  }

  /** Half of the responses came within this time, in ms; 0 where none is known. */
  get medianDelay(): number {
    this.#delay ??= [...this.delays].sort((a, b) => a - b)[this.delays.length >> 1] ?? 0;
    return this.#delay;
  }
}
