import { Replicates, type Resampling } from './bootstrap.ts';
import { type Estimate, type LoggedDecision, type Range, UNIT } from './logged-decision.ts';
import type { Policy } from './policies.ts';

export interface Evaluation {
  /** Decisions in which the policy has a candidate. */
  readonly decisions: number;
  /** Kish's effective sample size: how many decisions of the policy itself would be as precise. */
  readonly effective: number;
  /** Decisions whose weight was clipped. */
  readonly clipped: number;
  /** Inverse propensity scoring (Horvitz & Thompson, 1952). Unbiased; wide where the policies differ much. */
  readonly ips: Estimate;
  /** Self-normalised IPS (Swaminathan & Joachims, 2015). */
  readonly snips: Estimate;
  /**
   * Doubly robust (Dudík, Langford & Li, 2011), with the rankings of the log as the reward model; null if the log has
   * none.
   */
  readonly dr: Estimate | null;
}

export interface EvaluatorOptions {
  /** The largest weight of a decision (truncated importance sampling, Ionides, 2008). */
  readonly clip?: number | undefined;
  readonly range?: Range | undefined;
  /** Bootstrap intervals instead of normal ones. */
  readonly replicates?: number | undefined;
}

/** The 97.5 % point of the normal distribution. */
const Z = 1.959963984540054;

/**
 * Evaluates a policy on a log, one decision at a time, in constant memory. Confidence intervals use the normal
 * approximation (of the mean for IPS and DR, by the delta method for SNIPS), or the bootstrap.
 */
export class Evaluator {
  readonly #policy: Policy;
  readonly #clip: number;
  readonly #range: Range;
  readonly #replicates: Replicates | undefined;
  #n = 0;
  #clipped = 0;
  #ips = new Moments();
  #dr = new Moments();
  #w = 0;
  #wr = 0;
  #ww = 0;
  #wwr = 0;
  #wwrr = 0;

  constructor(policy: Policy, options: EvaluatorOptions = {}) {
    this.#policy = policy;
    this.#clip = options.clip ?? Number.POSITIVE_INFINITY;
    this.#range = options.range ?? UNIT;
    this.#replicates = options.replicates ? new Replicates(options.replicates) : undefined;
  }

  /** @param counts of {@link Resampling}, if there are replicates */
  add(decision: LoggedDecision, counts?: ReturnType<Resampling['next']>): void {
    const choice = this.#policy(decision);
    if (!choice) return;
    const { candidates, chosen, reward } = decision;
    const { propensity, ranking } = candidates[chosen]!;
    const full = choice.chances[chosen]! / propensity;
    const weight = Math.min(full, this.#clip);
    if (weight < full) this.#clipped++;
    let predicted = choice.rest;
    for (const [i, candidate] of candidates.entries()) predicted += choice.chances[i]! * candidate.ranking;
    const dr = predicted + weight * (reward - ranking);
    this.#n++;
    this.#ips.add(weight * reward);
    this.#dr.add(dr);
    this.#w += weight;
    this.#wr += weight * reward;
    this.#ww += weight ** 2;
    this.#wwr += weight ** 2 * reward;
    this.#wwrr += weight ** 2 * reward ** 2;
    if (counts) this.#replicates?.add(counts, weight, reward, dr);
  }

  /** The estimates so far; null if there is no decision in which the policy has a candidate. */
  result(): Evaluation | null {
    if (this.#n === 0) return null;
    const dr = this.#dr.mean;
    const normal = {
      ips: this.#around(this.#ips.mean, this.#ips.error),
      snips: this.#snips(),
      dr: this.#around(dr, this.#dr.error),
    };
    // One decision tells nothing of the spread, and every resample of it is the same.
    const drawn = this.#n > 1 ? this.#replicates?.intervals(this.#range) : undefined;
    const estimates = drawn
      ? {
          ips: { ...normal.ips, ...drawn.ips },
          snips: { ...normal.snips, ...drawn.snips },
          dr: { ...normal.dr, ...drawn.dr },
        }
      : normal;
    return {
      decisions: this.#n,
      effective: this.#ww === 0 ? 0 : this.#w ** 2 / this.#ww,
      clipped: this.#clipped,
      ...estimates,
      dr: Number.isNaN(dr) ? null : estimates.dr,
    };
  }

  #snips(): Estimate {
    if (this.#w === 0) return { mean: 0, ...this.#range };
    const mean = this.#wr / this.#w;
    if (this.#n === 1) return { mean, ...this.#range };
    const spread = this.#wwrr - 2 * mean * this.#wwr + mean ** 2 * this.#ww;
    return this.#around(mean, Math.sqrt(Math.max(spread, 0)) / this.#w);
  }

  #around(mean: number, error: number): Estimate {
    const inRange = (value: number) => Math.min(this.#range.high, Math.max(this.#range.low, value));
    return { mean, low: inRange(mean - Z * error), high: inRange(mean + Z * error) };
  }
}

/** Mean and variance of a stream (Welford, 1962). */
class Moments {
  #n = 0;
  #mean = 0;
  #m2 = 0;

  add(x: number): void {
    this.#n++;
    const delta = x - this.#mean;
    this.#mean += delta / this.#n;
    this.#m2 += delta * (x - this.#mean);
  }

  get mean(): number {
    return this.#mean;
  }

  /** The standard error of the mean; of a single number it is not known. */
  get error(): number {
    return this.#n > 1 ? Math.sqrt(this.#m2 / (this.#n - 1) / this.#n) : Number.POSITIVE_INFINITY;
  }
}
