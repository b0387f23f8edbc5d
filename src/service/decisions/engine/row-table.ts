import { BIAS } from './features.ts';

/** A feature gets a row after this number of occurrences, and of absences. */
const ENOUGH = 2;
/** Counts are halved after this number of decisions, so that the table follows recent frequencies. */
const HALF_LIFE = 8192;
/** The rarest row is looked for again after this number of decisions. */
const INTERVAL = 256;
/** A feature that occurred less often takes no row of another: each new one makes all contents forget something. */
const LOWEST = 8;
/** Counted features, for each row. */
const COUNTED = 16;

/**
 * Assigns rows to features, by hash. One that occurs at least twice as often as that of the rarest row takes its row, so that
 * a trait with a different value for every user takes no memory for long, and the frequent values keep their rows.
 */
export class RowTable {
  readonly most: number;
  readonly rows = new Map<number, number>([[BIAS.key, 0]]);
  readonly counts = new Map<number, number>();
  total = 0;
  /** The count beyond which a feature takes the row of the rarest one. */
  bar = LOWEST;

  /** @param most the most rows, that of the bias included */
  constructor(most: number) {
    this.most = most;
  }

  /** Counts one decision. */
  start(): void {
    this.total++;
    if (this.total >= HALF_LIFE) this.#halve();
    if (this.total % INTERVAL === 0) this.#setBar();
  }

  /**
   * Counts a feature of the decision and gives it a row if it is frequent. Returns a row that was taken from another
   * feature, or undefined. `varies`: it has different values where it occurs, so that absences are not needed.
   */
  count(key: number, varies: boolean, below = this.most): number | undefined {
    if (key === BIAS.key) return undefined;
    const count = (this.counts.get(key) ?? 0) + 1;
    if (count === 1 && this.counts.size >= COUNTED * this.most) this.#dropRare();
    this.counts.set(key, count);
    if (this.rows.has(key) || count < ENOUGH || (!varies && this.total - count < ENOUGH)) return undefined;
    if (this.rows.size < below) {
      this.rows.set(key, this.rows.size);
      return undefined;
    }
    return this.rows.size < this.most || below < this.most || count <= this.bar
      ? undefined
      : this.#take(key, count);
  }

  /** Takes the row of the rarest feature, if that is less than half as frequent. */
  #take(key: number, count: number): number | undefined {
    let rarest: number | undefined;
    let lowest = count / 2;
    for (const [old, row] of this.rows) {
      if (row === 0) continue;
      const rate = this.counts.get(old) ?? 0;
      if (rate >= lowest) continue;
      rarest = old;
      lowest = rate;
    }
    const row = rarest === undefined ? undefined : this.rows.get(rarest)!;
    if (row !== undefined) {
      this.rows.delete(rarest!);
      this.rows.set(key, row);
    }
    this.#setBar();
    return row;
  }

  #setBar(): void {
    if (this.rows.size < this.most) return;
    let lowest = Number.POSITIVE_INFINITY;
    for (const [key, row] of this.rows) if (row > 0) lowest = Math.min(lowest, this.counts.get(key) ?? 0);
    this.bar = Math.max(2 * lowest, LOWEST);
  }

  /** Deletes the counts of the rarer half of the features without a row. */
  #dropRare(): void {
    const waiting = [...this.counts].filter(([key]) => !this.rows.has(key)).sort((a, b) => a[1] - b[1]);
    for (const [key] of waiting.slice(0, Math.ceil(waiting.length / 2))) this.counts.delete(key);
  }

  #halve(): void {
    this.total /= 2;
    this.bar /= 2;
    for (const [key, count] of this.counts) {
      if (count >= 2) this.counts.set(key, Math.floor(count / 2));
      else this.counts.delete(key);
    }
  }
}
