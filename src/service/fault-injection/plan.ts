import { type Random, seededRandom } from '../../kit/random.ts';

/** When a rule hits, counted from 1 over what it matches. */
export interface When {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly every?: number | undefined;
  readonly burst?: number | undefined;
  readonly chance?: number | undefined;
}

/**
 * Decides which rule hits what comes next. Each rule counts what it matches and draws from a sequence of its own, so
 * what one rule does, and how fast things come, changes nothing for another: the same seed and the same order of
 * arrival give the same run. The first rule that hits wins; the others have counted it all the same.
 */
export class Plan<R extends When> {
  readonly #rules: { readonly rule: R; readonly random: Random; seen: number }[];

  constructor(rules: readonly R[], seed: string | number) {
    this.#rules = rules.map((rule, i) => ({ rule, random: seededRandom(`${seed}/${i}`), seen: 0 }));
  }

  /** The rule that hits the next one of those that `matches` says a rule is about. */
  next(matches: (rule: R) => boolean): R | undefined {
    const hits = this.#rules.filter((counted) => {
      if (!matches(counted.rule)) return false;
      counted.seen++;
      return hit(counted.rule, counted.seen, counted.random);
    });
    return hits[0]?.rule;
  }
}

function hit(
  { from = 1, to = Number.POSITIVE_INFINITY, every = 1, burst = 1, chance = 1 }: When,
  nth: number,
  random: Random,
): boolean {
  if (nth < from || nth > to || (nth - from) % every >= burst) return false;
  return random() < chance;
}
