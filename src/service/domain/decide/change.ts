/** The decrease of the log-odds of a response to detect, and the detection threshold (log-likelihood). */
const FALL = 1;
const THRESHOLD = 14;
/** The threshold shortly after another content dropped: changes come together. */
const SECOND_THRESHOLD = 6;

/** Maximum number of decisions stored for late responses. A response to an older one has no effect here. */
export const MAX_RECENT = 4096;
/** The number of recent response delays; silence counts after their median. */
const MAX_DELAYS = 63;
/** If two contents drop within this number of decisions, everything is learned again. */
const TOGETHER = 500;

/** A learned decision, and the prediction of each copy of the model for it. */
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
}

/** Log-likelihood ratio of "the log-odds fell by `FALL`" against "as expected", for one response. */
function evidenceOfFall(expected: number, response: number): number {
  const p = Math.min(Math.max(expected, 1e-6), 1 - 1e-6);
  const odds = (p / (1 - p)) * Math.exp(-FALL);
  const fallen = odds / (1 + odds);
  return response * Math.log(fallen / p) + (1 - response) * Math.log((1 - fallen) / (1 - p));
}

/**
 * Detects a drop in the response rate of a content: a downward CUSUM (Page, 1954) per content. Silence is counted only
 * after the median delay of a response; a later response corrects it.
 */
export class ChangeDetector {
  readonly recent = new Map<number, Recent>();
  readonly delays: number[] = [];
  readonly sums = new Map<string, number>();
  lastFall = Number.NEGATIVE_INFINITY;
  #delay: number | null = null;

  /** Counts a decision. Returns true if it reveals a drop of its content. */
  add(decision: Recent): boolean {
    if (this.recent.size >= MAX_RECENT) this.recent.delete(this.recent.keys().next().value!);
    this.recent.set(decision.decision, decision);
    const { contentId, expected, response } = decision;
    const sum = Math.max(0, (this.sums.get(contentId) ?? 0) + evidenceOfFall(expected, response));
    const fell = sum > (this.#isNear(decision.nth) ? SECOND_THRESHOLD : THRESHOLD);
    if (fell) this.sums.delete(contentId);
    else this.sums.set(contentId, sum);
    return fell;
  }

  /** Corrects what was counted for a decision. */
  correct(decision: Recent, response: number): void {
    const { contentId, expected } = decision;
    const change = evidenceOfFall(expected, response) - evidenceOfFall(expected, decision.response);
    const sum = this.sums.get(contentId);
    if (sum !== undefined) this.sums.set(contentId, Math.max(0, sum + change));
    decision.response = response;
  }

  /** Records a drop of a content. Returns true if another content dropped shortly before. */
  fell(nth: number): boolean {
    const together = this.#isNear(nth);
    // After a drop of two everything is learned again, and nothing is left to drop together with.
    this.lastFall = together ? Number.NEGATIVE_INFINITY : nth;
    return together;
  }

  #isNear(nth: number): boolean {
    return nth - this.lastFall <= TOGETHER;
  }

  /** Records the delay of a response, in ms. */
  responded(delay: number): void {
    this.delays.push(Math.max(delay, 0));
    if (this.delays.length > MAX_DELAYS) this.delays.shift();
    this.#delay = null;
  }

  /** The median delay of responses, in ms; 0 if there are none. */
  get medianDelay(): number {
    this.#delay ??= [...this.delays].sort((a, b) => a - b)[this.delays.length >> 1] ?? 0;
    return this.#delay;
  }
}
