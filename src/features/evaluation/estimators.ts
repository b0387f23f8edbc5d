import { likelihoodInterval, type Ratio } from './likelihood-interval.ts';
import { type Estimate, type LoggedDecision, type Range, UNIT } from './logged-decision.ts';
import type { Choice, Policy } from './policies.ts';
import { Support } from './support.ts';

export interface Evaluation {
  /** Decisions in which the policy has a candidate. */
  readonly decisions: number;
  /** Kish's effective sample size: how many decisions of the policy itself would be as precise. */
  readonly effective: number;
  /** Share of the policy's choices that the log never or hardly ever makes; the intervals are wider by it. */
  readonly unsupported: number;
  /** Inverse propensity scoring (Horvitz & Thompson, 1952). Unbiased; wide where the policies differ much. */
  readonly ips: Estimate;
  /** Self-normalised IPS (Swaminathan & Joachims, 2015). */
  readonly snips: Estimate;
  /** Doubly robust (Dudík, Langford & Li, 2011), with the rankings of the log as the reward model; null without them. */
  readonly dr: Estimate | null;
  /**
   * The direct method: the mean ranking of what the policy chooses; null without rankings. It is as wrong as they are,
   * which its decisions do not show: it has no interval.
   */
  readonly dm: { readonly mean: number } | null;
}

/** Decisions that are stored one by one; of more, neighbours are added up, so that a log of any length has a bound. */
const CAPACITY = 16_384;

/** A sum of propensities may be off by so much. */
const ROUNDING = 1e-12;

/** Evaluates a policy on a log, one decision at a time, in constant memory. */
export class Evaluator {
  readonly #policy: Policy;
  readonly #range: Range;
  readonly #capacity: number;
  #n = 0;
  #ww = 0;
  #predicted = 0;
  /** Sums over blocks of decisions (Kitamura, 1997): how many, weight, weight × reward, doubly robust value. */
  #blocks = { n: [] as number[], w: [] as number[], wr: [] as number[], dr: [] as number[] };
  /** Decisions in a full block. */
  #size = 1;
  readonly #supports = new Support();

  constructor(policy: Policy, range: Range = UNIT, capacity = CAPACITY) {
    this.#policy = policy;
    this.#range = range;
    this.#capacity = capacity;
  }

  add(decision: LoggedDecision): void {
    const choice = this.#policy(decision);
    if (!choice) return;
    const { candidates, chosen, reward } = decision;
    const { propensity, ranking } = candidates[chosen]!;
    const weight = choice.chances[chosen]! / propensity;
    let predicted = choice.rest;
    for (const [i, candidate] of candidates.entries()) predicted += choice.chances[i]! * candidate.ranking;
    this.#support(decision, choice, predicted);
    this.#n++;
    this.#ww += weight ** 2;
    this.#predicted += predicted;
    this.#store(weight, weight * reward, predicted + weight * (reward - ranking));
  }

  /** The estimates so far; null if there is no decision in which the policy has a candidate. */
  result(): Evaluation | null {
    if (this.#n === 0) return null;
    const { n, w, wr, dr } = this.#blocks;
    const { low, high } = this.#range;
    const { unsupported, weight, ...robust } = this.#supports.of(this.#n);
    const slack = unsupported * Math.max(high - low, Math.abs(low), Math.abs(high));
    const within = (ratio: Ratio): Estimate => {
      const interval = likelihoodInterval(ratio, this.#range);
      const { mean } = interval;
      return { mean, low: Math.max(low, interval.low - slack), high: Math.min(high, interval.high + slack) };
    };
    const weights = w.reduce((total, each) => total + each, 0);
    const predicted = this.#predicted / this.#n;
    const hasRankings = !Number.isNaN(predicted);
    return {
      decisions: this.#n,
      effective: this.#ww === 0 ? 0 : weights ** 2 / this.#ww,
      unsupported,
      ips: within({
        a: wr,
        b: n,
        least: [Math.min(0, weight * low), 1],
        most: [Math.max(0, weight * high), 1],
      }),
      snips: within({ a: wr, b: w, least: [weight * low, weight], most: [weight * high, weight] }),
      dr: hasRankings ? within({ a: dr, b: n, least: [robust.low, 1], most: [robust.high, 1] }) : null,
      dm: hasRankings ? { mean: predicted } : null,
    };
  }

  /** Takes note of what the decision could have been by another draw of its action. */
  #support({ candidates, others }: LoggedDecision, { chances }: Choice, predicted: number): void {
    const { low, high } = this.#range;
    const add = (chance: number, weight: number, leastRanking: number, mostRanking: number) =>
      this.#supports.add(
        chance,
        weight,
        predicted + weight * (low - mostRanking),
        predicted + weight * (high - leastRanking),
      );
    // Of the candidates whose propensities are not known one by one, only what is left for all of them is.
    let [leftChance, leftPropensity] = [1, 1];
    for (const [i, { propensity, ranking }] of candidates.entries()) {
      if (Number.isNaN(propensity)) continue;
      leftChance -= chances[i]!;
      leftPropensity -= propensity;
      add(chances[i]!, chances[i]! / propensity, ranking, ranking);
    }
    if (leftChance > ROUNDING)
      add(
        leftChance,
        leftChance / Math.max(leftPropensity, 0),
        others?.ranking ?? low,
        others?.ranking ?? high,
      );
  }

  #store(weight: number, weighted: number, robust: number): void {
    const { n, w, wr, dr } = this.#blocks;
    const last = n.length - 1;
    if (last >= 0 && n[last]! < this.#size) {
      n[last]!++;
      w[last]! += weight;
      wr[last]! += weighted;
      dr[last]! += robust;
      return;
    }
    if (n.length === this.#capacity) {
      const pairs = (values: readonly number[]) =>
        Array.from({ length: values.length / 2 }, (_, i) => values[2 * i]! + values[2 * i + 1]!);
      this.#blocks = { n: pairs(n), w: pairs(w), wr: pairs(wr), dr: pairs(dr) };
      this.#size *= 2;
      this.#store(weight, weighted, robust);
      return;
    }
    n.push(1);
    w.push(weight);
    wr.push(weighted);
    dr.push(robust);
  }
}
