const MINUTE_MS = 60_000;
const MINUTES = 60;

/** What is counted in each minute of the last hour. */
export class LastHour<T extends object> {
  readonly #now: () => number;
  readonly #zero: T;
  readonly #minutes: { number: number; counts: T }[] = [];

  /** `now` is in Unix ms; `zero` is what a minute begins with. */
  constructor(now: () => number, zero: T) {
    this.#now = now;
    this.#zero = zero;
  }

  /** The counts of this minute, to be added to. */
  current(): T {
    const number = this.#number();
    const known = this.#minutes[number % MINUTES];
    if (known?.number === number) return known.counts;
    const counts = { ...this.#zero };
    this.#minutes[number % MINUTES] = { number, counts };
    return counts;
  }

  /** The minutes of the last hour, the oldest first. */
  read(): readonly T[] {
    const first = this.#number() - MINUTES + 1;
    return Array.from({ length: MINUTES }, (_, i) => {
      const minute = this.#minutes[(first + i) % MINUTES];
      return minute?.number === first + i ? minute.counts : this.#zero;
    });
  }

  #number(): number {
    return Math.floor(this.#now() / MINUTE_MS);
  }
}
