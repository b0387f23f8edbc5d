import type { Rows } from './block.ts';
import { BIAS, type Feature } from './features.ts';

/** Most features in a table, the bias included. */
export const MAX_FEATURES = 64;
/** Maximum number of features that are counted before they get a row. */
const MAX_COUNTED = 1024;
/** A feature gets a row after this number of occurrences, in this share of the counted decisions. */
const ENOUGH = 2;
const SHARE = 0.004;
/** Counts are halved after this number of decisions, so that the table follows recent frequencies. */
const HALF_LIFE = 8192;

/**
 * Assigns rows to features. Only frequent ones get a row, so that a trait with a different value for every user takes no
 * memory, and a feature that no longer occurs gives its row to a new one. Holds hashes, never names or values.
 */
export class FeatureTable {
  readonly #kinds: number;
  readonly rows = new Map<number, number>([[BIAS.key, 0]]);
  readonly counts = new Map<number, number>();
  total = 0;

  /** @param kinds the kinds of features that get rows, as a set of bits */
  constructor(kinds: number) {
    this.#kinds = kinds;
  }

  /** The features that have one of the first `limit` rows, rows ascending. */
  find(features: readonly Feature[], limit = MAX_FEATURES): Rows {
    const found: { row: number; value: number }[] = [];
    for (const { key, value } of features) {
      const row = this.rows.get(key);
      if (row !== undefined && row < limit) found.push({ row, value });
    }
    found.sort((a, b) => a.row - b.row);
    return {
      rows: Int32Array.from(found, ({ row }) => row),
      values: Float64Array.from(found, ({ value }) => value),
    };
  }

  /** Counts the features of a decision and gives rows to frequent ones. Returns the rows that were reassigned. */
  getOrCreate(features: readonly Feature[]): number[] {
    const taken: number[] = [];
    this.total++;
    for (const { key, kind } of features) {
      if (key === BIAS.key || !(this.#kinds & kind)) continue;
      const count = (this.counts.get(key) ?? 0) + 1;
      if (count === 1 && this.counts.size >= MAX_COUNTED) this.#dropRare();
      this.counts.set(key, count);
      if (this.rows.has(key) || count < Math.max(ENOUGH, SHARE * this.total)) continue;
      if (this.rows.size < MAX_FEATURES) this.rows.set(key, this.rows.size);
      else {
        const row = this.#free(key);
        if (row !== undefined) taken.push(row);
      }
    }
    if (this.total >= HALF_LIFE) this.#halve();
    return taken;
  }

  /** Takes the row of a feature that no longer occurs; undefined if all are in use. */
  #free(key: number): number | undefined {
    for (const [old, row] of this.rows) {
      if (row === 0 || this.counts.has(old)) continue;
      this.rows.delete(old);
      this.rows.set(key, row);
      return row;
    }
    return undefined;
  }

  /** Deletes the counts of the rarer half of the features without a row. */
  #dropRare(): void {
    const waiting = [...this.counts].filter(([key]) => !this.rows.has(key)).sort((a, b) => a[1] - b[1]);
    for (const [key] of waiting.slice(0, Math.ceil(waiting.length / 2))) this.counts.delete(key);
  }

  #halve(): void {
    this.total /= 2;
    for (const [key, count] of this.counts) {
      if (count >= 2) this.counts.set(key, Math.floor(count / 2));
      else this.counts.delete(key);
    }
  }
}
