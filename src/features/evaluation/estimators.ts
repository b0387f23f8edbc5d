/** A logged decision: its candidates, the chosen one and its reward. */
export interface LoggedDecision {
  /** Probability of each candidate under the logging policy, and its predicted reward. */
  readonly candidates: readonly { readonly propensity: number; readonly ranking: number }[];
  /** Index of the candidate that was chosen. */
  readonly chosen: number;
  readonly reward: number;
  /** Candidates that the log does not name, together. */
  readonly others?: Others | undefined;
}

/** How many there are, their mean predicted reward, and what the policy that ran expects of them. */
export interface Others {
  readonly count: number;
  readonly ranking: number;
  readonly expected: number;
}

/** A policy to be judged: the probability of each named candidate; `others` counts those not named. */
export type Policy = (candidates: LoggedDecision['candidates'], others?: number) => readonly number[];

/** What a policy expects of the candidates not named. */
export type Rest = (others: Others, named: number) => number;

/** The part of each policy's expectation that lies in candidates not named. The best ranked is always named. */
export const RESTS = {
  running: ({ expected }) => expected,
  uniform: ({ count, ranking }, named) => (count * ranking) / (count + named),
  best: () => 0,
} as const satisfies Record<string, Rest>;

export const POLICIES = {
  /** The policy that produced the log. */
  running: (candidates) => candidates.map((candidate) => candidate.propensity),
  uniform: (candidates, others = 0) => candidates.map(() => 1 / (candidates.length + others)),
  /** Always the candidate with the highest ranking; the first of equals. */
  best: (candidates) => {
    let best = 0;
    for (const [i, { ranking }] of candidates.entries()) if (ranking > candidates[best]!.ranking) best = i;
    return candidates.map((_, i) => (i === best ? 1 : 0));
  },
} as const satisfies Record<string, Policy>;

/** An estimated mean reward with its 95 % confidence interval. */
export interface Estimate {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

export interface Evaluation {
  readonly decisions: number;
  /** Kish's effective sample size: how many decisions of the policy itself the log is worth. */
  readonly effective: number;
  /** Inverse propensity scoring (Horvitz & Thompson, 1952). Unbiased; wide where the policies differ much. */
  readonly ips: Estimate;
  /** Self-normalised IPS (Swaminathan & Joachims, 2015). */
  readonly snips: Estimate;
  /** Doubly robust (Dudík, Langford & Li, 2011), with the rankings of the log as the reward model. */
  readonly dr: Estimate;
}

/** The 97.5 % point of the normal distribution. */
const Z = 1.959963984540054;

/**
 * Evaluates a policy on a log, one decision at a time, in constant memory. Confidence intervals use the normal
 * approximation: of the mean for IPS and DR, by the delta method for SNIPS.
 */
export class Evaluator {
  readonly #policy: Policy;
  readonly #rest: Rest;
  #n = 0;
  #ips = new Moments();
  #dr = new Moments();
  #w = 0;
  #wr = 0;
  #ww = 0;
  #wwr = 0;
  #wwrr = 0;

  constructor(policy: Policy, rest: Rest = RESTS.running) {
    this.#policy = policy;
    this.#rest = rest;
  }

  add({ candidates, chosen, reward, others }: LoggedDecision): void {
    const target = this.#policy(candidates, others?.count);
    const weight = target[chosen]! / candidates[chosen]!.propensity;
    let predicted = others ? this.#rest(others, candidates.length) : 0;
    for (const [i, { ranking }] of candidates.entries()) predicted += target[i]! * ranking;
    this.#n++;
    this.#ips.add(weight * reward);
    this.#dr.add(predicted + weight * (reward - candidates[chosen]!.ranking));
    this.#w += weight;
    this.#wr += weight * reward;
    this.#ww += weight ** 2;
    this.#wwr += weight ** 2 * reward;
    this.#wwrr += weight ** 2 * reward ** 2;
  }

  /** The estimates so far, or null for an empty log. */
  result(): Evaluation | null {
    if (this.#n === 0) return null;
    return {
      decisions: this.#n,
      effective: this.#ww === 0 ? 0 : this.#w ** 2 / this.#ww,
      ips: this.#ips.estimate(),
      snips: this.#snips(),
      dr: this.#dr.estimate(),
    };
  }

  #snips(): Estimate {
    if (this.#w === 0) return { mean: 0, low: 0, high: 0 };
    const mean = this.#wr / this.#w;
    const spread = this.#wwrr - 2 * mean * this.#wwr + mean ** 2 * this.#ww;
    return around(mean, Math.sqrt(Math.max(spread, 0)) / this.#w);
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

  estimate(): Estimate {
    const variance = this.#n > 1 ? this.#m2 / (this.#n - 1) : 0;
    return around(this.#mean, Math.sqrt(variance / this.#n));
  }
}

const inRange = (value: number) => Math.min(1, Math.max(0, value));

/** A reward lies in [0, 1], and so does what is said of its mean. */
const around = (mean: number, error: number): Estimate => ({
  mean,
  low: inRange(mean - Z * error),
  high: inRange(mean + Z * error),
});
