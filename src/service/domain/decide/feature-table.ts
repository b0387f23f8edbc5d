import type { Rows } from './block.ts';
import { BIAS, type Feature } from './features.ts';

/** Most features in a model, the bias included. */
export const MAX_FEATURES = 64;
/** Features counted while it is not known yet whether they are frequent enough for a row. */
const MAX_COUNTED = 1024;
/** A feature gets a row once it was met this often and in this share of the decisions counted. */
const ENOUGH = 2;
const SHARE = 0.004;
/** Counts are halved after so many decisions, so that the table follows what is frequent now. */
const HALF_LIFE = 8192;

/**
 * Which features have a row. Only frequent ones do, so that a trait with a value of its own for every user takes no
 * memory, and a feature that is no longer met gives its row to a new one. Holds hashes, never names or values.
 */
export class FeatureTable {
  readonly rows = new Map<number, number>([[BIAS.key, 0]]);
  readonly counts = new Map<number, number>();
  total = 0;

  /** The features that have a row, rows ascending. */
  find(features: readonly Feature[]): Rows {
    const found: { row: number; value: number }[] = [];
    for (const { key, value } of features) {
      const row = this.rows.get(key);
      if (row !== undefined) found.push({ row, value });
    }
    found.sort((a, b) => a.row - b.row);
    return {
      rows: Int32Array.from(found, ({ row }) => row),
      values: Float64Array.from(found, ({ value }) => value),
    };
  }

  /** Counts the features of a decision and gives a row to those now frequent; returns rows taken from others. */
  meet(features: readonly Feature[]): number[] {
    const taken: number[] = [];
    this.total++;
    for (const { key } of features) {
      if (key === BIAS.key) continue;
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

  /** Takes the row of a feature that is not met any more; undefined where all are in use. */
  #free(key: number): number | undefined {
    for (const [old, row] of this.rows) {
      if (row === 0 || this.counts.has(old)) continue;
      this.rows.delete(old);
      this.rows.set(key, row);
      return row;
    }
    return undefined;
  }

  /** Forgets the rarer half of the features that have no row. */
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
