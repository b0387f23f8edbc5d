/** Answers that are kept. */
const KEPT = 1_000;
/** Of these, the share that is slowest. */
const SLOWEST = 0.05;

/** How long the parts of an answer took, in ms: until its work at the store began, that work, and until it was there. */
export interface Parts {
  readonly waitMs: number;
  readonly workMs: number;
  readonly storeMs: number;
}

/** How long the latest answers of one kind took, in this process, and their parts. */
export class LatestAnswers {
  readonly #ms = new Float64Array(KEPT);
  /** NaN where an answer has no parts. */
  readonly #waitMs = new Float64Array(KEPT);
  readonly #workMs = new Float64Array(KEPT);
  #added = 0;

  /** Adds an answer that took `ms`; of these, until its work at the store began, and that work, where it had some. */
  add(ms: number, waitMs = Number.NaN, workMs = Number.NaN): void {
    const place = this.#added++ % KEPT;
    this.#ms[place] = Math.max(0, ms);
    this.#waitMs[place] = waitMs;
    this.#workMs[place] = workMs;
  }

  /** Their number and quantiles, in ms; null before the first. */
  quantiles(): {
    readonly answers: number;
    readonly p50Ms: number;
    readonly p95Ms: number;
    readonly p99Ms: number;
  } | null {
    const answers = this.#answers;
    if (answers === 0) return null;
    const rising = this.#ms.slice(0, answers).sort();
    const of = (q: number) => rising[Math.max(0, Math.ceil(answers * q) - 1)]!;
    return { answers, p50Ms: of(0.5), p95Ms: of(0.95), p99Ms: of(0.99) };
  }

  /** The parts of the slowest of those that have some, on average; null where none has. */
  slowest(): Parts | null {
    const places = Array.from({ length: this.#answers }, (_, i) => i).filter(
      (i) => !Number.isNaN(this.#waitMs[i]!),
    );
    if (places.length === 0) return null;
    const slowest = places
      .sort((a, b) => this.#ms[b]! - this.#ms[a]!)
      .slice(0, Math.max(1, Math.floor(places.length * SLOWEST)));
    const mean = (of: Float64Array) => slowest.reduce((sum, i) => sum + of[i]!, 0) / slowest.length;
    const [ms, waitMs, workMs] = [mean(this.#ms), mean(this.#waitMs), mean(this.#workMs)];
    return { waitMs, workMs, storeMs: ms - waitMs - workMs };
  }

  get #answers(): number {
    return Math.min(this.#added, KEPT);
  }
}
