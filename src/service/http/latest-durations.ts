/** Durations that are kept. */
const KEPT = 1_000;

/** How long the latest answers of one kind took, in this process. */
export class LatestDurations {
  readonly #ms = new Float64Array(KEPT);
  #added = 0;

  /** Adds a duration, in ms. */
  add(ms: number): void {
    this.#ms[this.#added++ % KEPT] = Math.max(0, ms);
  }

  /** Their number and quantiles, in ms; null before the first. */
  quantiles(): {
    readonly answers: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
    readonly p99Ms: number;
  } | null {
    const answers = Math.min(this.#added, KEPT);
    if (answers === 0) return null;
    const rising = this.#ms.slice(0, answers).sort();
    const of = (q: number) => rising[Math.max(0, Math.ceil(answers * q) - 1)]!;
    return { answers, p50Ms: of(0.5), p95Ms: of(0.95), p99Ms: of(0.99) };
  }
}
