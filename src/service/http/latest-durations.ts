/** Durations that are kept. */
const KEPT = 1_000;

/** How long the latest answers of one kind took, in this process. */
export class LatestDurations {
  readonly #ms = new Float64Array(KEPT);
  readonly #now: () => number;
  #added = 0;

  /** `now` is in ms. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Begins to measure; the result ends it, for an answer that counts. */
  begin(): () => void {
    const from = this.#now();
    return () => {
      this.#ms[this.#added++ % KEPT] = Math.max(0, this.#now() - from);
    };
  }

  /** Their number and quantiles, in ms; null before the first. */
  quantiles(): { readonly answers: number; readonly p50Ms: number; readonly p95Ms: number } | null {
    const answers = Math.min(this.#added, KEPT);
    if (answers === 0) return null;
    const rising = this.#ms.slice(0, answers).sort();
    return { answers, p50Ms: quantile(rising, 0.5)!, p95Ms: quantile(rising, 0.95)! };
  }
}

/** The nearest-rank quantile of rising values; null for none. */
const quantile = (rising: ArrayLike<number>, q: number): number | null =>
  rising[Math.max(0, Math.ceil(rising.length * q) - 1)] ?? null;
