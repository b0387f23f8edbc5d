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
  /** By their numbers, which they keep; undefined for one that was removed. */
  readonly #rules: (Counted<R> | undefined)[];
  readonly #seed: string | number;

  constructor(rules: readonly R[], seed: string | number) {
    this.#seed = seed;
    this.#rules = rules.map((rule, i) => this.#counted(rule, i));
  }

  /** Returns the rule that applies, among those for which `matches` is true, and counts for all of these. */
  next(matches: (rule: R) => boolean): R | undefined {
    const applicable = this.#rules.filter((counted) => {
      if (!counted || !matches(counted.rule)) return false;
      counted.seen++;
      return applies(counted.rule, counted.seen, counted.random) && counted.on;
    });
    const [first] = applicable;
    if (first) first.hits++;
    return first?.rule;
  }

  /** The rules in their order: what each matched, how often it was used, and whether it is switched on. */
  state(): {
    readonly index: number;
    readonly rule: R;
    readonly seen: number;
    readonly hits: number;
    readonly on: boolean;
  }[] {
    return this.#rules.flatMap((counted, index) => {
      if (!counted) return [];
      const { rule, seen, hits, on } = counted;
      return [{ index, rule, seen, hits, on }];
    });
  }

  /** Switches a rule on or off; it counts matches in both cases. Returns false if no rule has this number. */
  switch(index: number, on: boolean): boolean {
    const rule = this.#rules[index];
    if (rule) rule.on = on;
    return rule !== undefined;
  }

  /** Adds a rule at the end, or puts it in place of another: it counts from the beginning. Returns false as `switch`. */
  put(rule: R, index = this.#rules.length): boolean {
    if (index !== this.#rules.length && !this.#rules[index]) return false;
    this.#rules[index] = this.#counted(rule, index);
    return true;
  }

  /** Removes a rule; the others keep their numbers. Returns false as `switch`. */
  remove(index: number): boolean {
    const known = this.#rules[index] !== undefined;
    if (known) this.#rules[index] = undefined;
    return known;
  }

  #counted(rule: R, index: number): Counted<R> {
    return { rule, random: seededRandom(`${this.#seed}/${index}`), seen: 0, hits: 0, on: true };
  }
}

interface Counted<R> {
  readonly rule: R;
  readonly random: Random;
  seen: number;
  hits: number;
  on: boolean;
}

function applies(
  { from = 1, to = Number.POSITIVE_INFINITY, every = 1, burst = 1, chance = 1 }: When,
  nth: number,
  random: Random,
): boolean {
  if (nth < from || nth > to || (nth - from) % every >= burst) return false;
  return random() < chance;
}
