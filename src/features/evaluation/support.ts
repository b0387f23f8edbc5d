/**
 * How much more often than it was seen a decision may happen that was added to a log without it: the x above 1 for which
 * x - 1 - ln x is half of the 95 % point of χ².
 */
const UNSEEN = 4.4;

/** Choices of which a log has decisions, with the largest weight and the range of doubly robust values of them. */
export interface Supported {
  /** Share of a policy's choices that the others are. */
  readonly unsupported: number;
  readonly weight: number;
  readonly low: number;
  readonly high: number;
}

/** The weights that the decisions of a log would have had by other draws of their actions. */
export class Support {
  /** Summed by the power of two above the weight. */
  readonly #tiers = new Map<number, { chance: number; weight: number; low: number; high: number }>();

  /**
   * Adds an action of a decision.
   * @param chance its probability under the policy that is judged
   * @param weight that of the action: infinite for one that the log never chooses
   * @param low smallest doubly robust value that choosing it could have given
   * @param high largest one
   */
  add(chance: number, weight: number, low: number, high: number): void {
    if (!(chance > 0)) return;
    const exponent = Math.ceil(Math.log2(weight));
    const tier = this.#tiers.get(exponent);
    if (!tier) {
      this.#tiers.set(exponent, { chance, weight, low, high });
      return;
    }
    tier.chance += chance;
    tier.weight = Math.max(tier.weight, weight);
    tier.low = Math.min(tier.low, low);
    tier.high = Math.max(tier.high, high);
  }

  /**
   * The choices that count as supported by the log. A choice with a large weight makes every interval wider, by
   * {@link UNSEEN} such decisions; as an unsupported one by its share, of which nothing is known then. The less is taken.
   */
  of(decisions: number): Supported {
    let [weight, low, high] = [0, 0, 0];
    let unsupported = 0;
    for (const [, { chance }] of this.#tiers) unsupported += chance / decisions;
    let best: Supported = { unsupported, weight, low, high };
    const costOf = (choice: Supported) => choice.unsupported + (UNSEEN * choice.weight) / decisions;
    for (const [, tier] of [...this.#tiers].sort(([a], [b]) => a - b)) {
      unsupported -= tier.chance / decisions;
      weight = tier.weight;
      low = Math.min(low, tier.low);
      high = Math.max(high, tier.high);
      const choice = { unsupported: Math.max(0, unsupported), weight, low, high };
      if (costOf(choice) <= costOf(best)) best = choice;
    }
    return best;
  }
}
