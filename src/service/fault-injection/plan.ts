import { type Random, seededRandom } from '../../kit/random.ts';

/** When a rule applies, counted from 1 over the requests or deliveries that it matches. */
export interface When {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly every?: number | undefined;
  readonly burst?: number | undefined;
  readonly chance?: number | undefined;
}

/**
 * Decides which rule applies to the next request or delivery. Each rule has its own counter and random sequence, so that
 * rules and timing do not influence each other: the same seed and order of arrival give the same faults. If several
 * rules apply, the first one is used; all of them count.
 */
export class Plan<R extends When> {
  readonly #rules: { readonly rule: R; readonly random: Random; seen: number }[];

  constructor(rules: readonly R[], seed: string | number) {
    this.#rules = rules.map((rule, i) => ({ rule, random: seededRandom(`${seed}/${i}`), seen: 0 }));
  }

  /** Returns the rule that applies, among those for which `matches` is true, and counts for all of these. */
  next(matches: (rule: R) => boolean): R | undefined {
    const applicable = this.#rules.filter((counted) => {
      if (!matches(counted.rule)) return false;
      counted.seen++;
      return applies(counted.rule, counted.seen, counted.random);
    });
    return applicable[0]?.rule;
  }
}

function applies(
  { from = 1, to = Number.POSITIVE_INFINITY, every = 1, burst = 1, chance = 1 }: When,
  nth: number,
  random: Random,
): boolean {
  if (nth < from || nth > to || (nth - from) % every >= burst) return false;
  return random() < chance;
}
