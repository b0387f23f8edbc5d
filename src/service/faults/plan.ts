import { type Random, seededRandom } from '../../kit/random.ts';

/** When a rule applies, counted from 1 over the requests or deliveries that it matches. */
export interface When {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly every?: number | undefined;
  readonly burst?: number | undefined;
  readonly chance?: number | undefined;
}

export type FaultPlace = 'requests' | 'deliveries';

/** A fault that was injected. */
export interface Injected {
  /** Unix ms. */
  readonly at: number;
  readonly place: FaultPlace;
  readonly fault: string;
  /** The operation that was asked for, or the kind of outcome that was delivered. */
  readonly of: string;
  readonly deliveryId?: string;
  /** How late it is, in ms, of a fault that waits. */
  readonly delayMs?: number;
}

/** Is told of each fault when it is injected. */
export type Note = (injected: Omit<Injected, 'at'>) => void;

/** Rules of a process; a file may have more, to which none is added. */
export const MOST_RULES = 100;

/**
 * Decides which rule applies to the next request or delivery. Each rule has its own counter and random sequence, so that
 * rules and timing do not influence each other: the same seed and order of arrival give the same faults. If several
 * rules apply, the first one is used; all of them count.
 */
export class Plan<R extends When> {
  /** By their numbers, which they keep; undefined for one that was removed. */
  readonly #rules: (Counted<R> | undefined)[];
  readonly #seed: string | number;
  readonly #now: () => number;
  #injected = 0;

  /** `now` is in Unix ms. */
  constructor(rules: readonly R[], seed: string | number, now: () => number) {
    this.#seed = seed;
    this.#now = now;
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
    if (first) {
      first.hits++;
      this.#injected++;
    }
    return first?.rule;
  }

  /** How often a rule was used, also one that was removed or changed since. */
  get injected(): number {
    return this.#injected;
  }

  /** The rules in their order: what each matched, how often it was used, and whether it is switched on. */
  state(): {
    readonly index: number;
    readonly rule: R;
    readonly seen: number;
    readonly hits: number;
    readonly on: boolean;
    readonly changedAt: number | null;
  }[] {
    return this.#rules.flatMap((counted, index) => {
      if (!counted) return [];
      const { rule, seen, hits, on, changedAt } = counted;
      return [{ index, rule, seen, hits, on, changedAt }];
    });
  }

  /** Switches a rule on or off; it counts matches in both cases. Returns false if no rule has this number. */
  switch(index: number, on: boolean): boolean {
    const rule = this.#rules[index];
    if (rule) Object.assign(rule, { on, changedAt: this.#now() });
    return rule !== undefined;
  }

  /**
   * Adds a rule, or puts it in place of another: it counts from the beginning. Returns false as `switch`, and if there is no
   * room. The number of one that was removed is used again only when the others are.
   */
  put(rule: R, given?: number): boolean {
    const { length } = this.#rules;
    const index = given ?? (length < MOST_RULES ? length : this.#rules.indexOf(undefined));
    if (index < 0 || (given !== undefined && !this.#rules[given])) return false;
    this.#rules[index] = { ...this.#counted(rule, index), changedAt: this.#now() };
    return true;
  }

  /** Removes a rule; the others keep their numbers. Returns false as `switch`. */
  remove(index: number): boolean {
    const known = this.#rules[index] !== undefined;
    if (known) this.#rules[index] = undefined;
    return known;
  }

  #counted(rule: R, index: number): Counted<R> {
    return {
      rule,
      random: seededRandom(`${this.#seed}/${index}`),
      seen: 0,
      hits: 0,
      on: true,
      changedAt: null,
    };
  }
}

interface Counted<R> {
  readonly rule: R;
  readonly random: Random;
  seen: number;
  hits: number;
  on: boolean;
  /** When it was switched, added or changed, Unix ms; null if the file had it so. */
  changedAt: number | null;
}

function applies(
  { from = 1, to = Number.POSITIVE_INFINITY, every = 1, burst = 1, chance = 1 }: When,
  nth: number,
  random: Random,
): boolean {
  if (nth < from || nth > to || (nth - from) % every >= burst) return false;
  return random() < chance;
}
