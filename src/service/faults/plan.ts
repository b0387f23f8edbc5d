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
  readonly #rules: { readonly rule: R; readonly random: Random; seen: number; hits: number; on: boolean }[];

  constructor(rules: readonly R[], seed: string | number) {
    this.#rules = rules.map((rule, i) => ({
      rule,
      random: seededRandom(`${seed}/${i}`),
      seen: 0,
      hits: 0,
      on: true,
    }));
  }

  /** Returns the rule that applies, among those for which `matches` is true, and counts for all of these. */
  next(matches: (rule: R) => boolean): R | undefined {
    const applicable = this.#rules.filter((counted) => {
      if (!matches(counted.rule)) return false;
      counted.seen++;
      return applies(counted.rule, counted.seen, counted.random) && counted.on;
    });
    const [first] = applicable;
    if (first) first.hits++;
    return first?.rule;
  }

  /** The rules in their order: what each matched, how often it was used, and whether it is switched on. */
  state(): { readonly rule: R; readonly seen: number; readonly hits: number; readonly on: boolean }[] {
    return this.#rules.map(({ rule, seen, hits, on }) => ({ rule, seen, hits, on }));
  }

  /** Switches a rule on or off; it counts matches in both cases. Returns false if no rule has this number. */
  switch(index: number, on: boolean): boolean {
    const rule = this.#rules[index];
    if (rule) rule.on = on;
    return rule !== undefined;
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
