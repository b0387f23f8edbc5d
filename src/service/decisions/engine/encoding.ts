import { mix } from '../../../kit/hash32.ts';
import { packed, type Rows } from './block.ts';
import { BIAS, derivedKey, type Feature } from './features.ts';
import { Numbers } from './numbers.ts';
import { RowTable } from './row-table.ts';

/** Most rows of a linear expert. */
export const MAX_ROWS = 256;
/** Rows that products may take. */
const MAX_PRODUCTS = 0.75 * MAX_ROWS;
/** Covariances that rows of products may take, of all contents together: decisions read them. */
const PRODUCT_NUMBERS = 400_000;
/** Columns of a decision up to which it has products, and squares of ranks. */
const PRODUCT_COLUMNS = 16;
const SQUARE_COLUMNS = 32;
/** Decisions after which products get rows: by then the columns themselves have theirs. */
const SETTLED = 32;
/** The sum of the squares of the values beside the bias. */
const NORM = 5;
/** Factor on squares and products: their weights have a prior variance of 0.1. */
const MINOR = Math.sqrt(0.1);

/** Smaller values count as 0. */
const SMALLEST = 1e-9;

/** The rows that a number may have, beside that of its presence. */
const [STANDARD, RANK, SQUARE] = [1, 2, 3];

/**
 * Turns the features of a decision into the vector of the linear experts: a row for each text; for a number its presence, its
 * standardised value, its rank and the square of the rank; and products of two columns where a decision has few.
 * Squares and products are orthogonal to the others for evenly spread ranks (Legendre polynomials). The vector is scaled to one length, so
 * that many columns are no more certain than few.
 */
export class Encoding {
  readonly numbers = new Numbers();
  readonly table = new RowTable(MAX_ROWS);
  readonly #x = new Float64Array(MAX_ROWS);
  /** The columns that have rows, and their values in a product. */
  readonly #keys = new Uint32Array(MAX_ROWS);
  readonly #values = new Float64Array(MAX_ROWS);
  readonly #varies = new Uint8Array(MAX_ROWS);

  /** Whether a column has a row. */
  isKnown(key: number): boolean {
    return this.table.rows.has(key) || this.table.rows.has(derivedKey(key, STANDARD));
  }

  /** The rows of a column alone. */
  rowsOf({ key, number }: Feature): number[] {
    const keys =
      number === null ? [key] : [key, ...[STANDARD, RANK, SQUARE].map((which) => derivedKey(key, which))];
    return keys.flatMap((each) => this.table.rows.get(each) ?? []);
  }

  /** Takes note of a decision of a user, by hash. Returns the rows that were taken from other features. */
  learn(features: readonly Feature[], owner: number): number[] {
    const { table, numbers } = this;
    const taken: number[] = [];
    const count = (key: number, varies: boolean, below?: number) => {
      const row = table.count(key, varies, below);
      if (row !== undefined) taken.push(row);
    };
    table.start();
    for (const { key, number } of features) {
      if (key === BIAS.key) continue;
      count(key, false);
      if (number === null) continue;
      numbers.add(key, number, owner);
      if (!numbers.known.get(key)!.varies) continue;
      count(derivedKey(key, STANDARD), true);
      count(derivedKey(key, RANK), true);
      if (features.length <= SQUARE_COLUMNS) count(derivedKey(key, SQUARE), true);
    }
    const columns = this.#columns(features);
    if (columns <= PRODUCT_COLUMNS && table.total >= SETTLED)
      for (let a = 0; a < columns; a++)
        for (let b = 0; b < a; b++)
          count(
            productKey(this.#keys[a]!, this.#keys[b]!),
            this.#varies[a]! + this.#varies[b]! > 0,
            MAX_PRODUCTS,
          );
    return taken;
  }

  /**
   * The vector of a decision, rows ascending, at most `limit`. With more contents fewer rows of products are used, the last
   * ones first.
   */
  encode(features: readonly Feature[], limit: number, contents: number): Rows {
    const x = this.#x;
    const { rows } = this.table;
    x.fill(0);
    let sum = 0;
    const set = (key: number, value: number, below: number) => {
      const row = rows.get(key);
      if (row === undefined || row >= below || Math.abs(value) < SMALLEST) return;
      x[row] = value;
      sum += value * value;
    };
    for (const { key, number } of features) {
      if (key === BIAS.key) continue;
      set(key, 1, limit);
      const distribution = number === null ? undefined : this.numbers.known.get(key);
      if (!distribution?.varies) continue;
      const rank = distribution.rank(number!);
      set(derivedKey(key, STANDARD), distribution.standardised(number!), limit);
      set(derivedKey(key, RANK), Math.sqrt(3) * rank, limit);
      if (features.length <= SQUARE_COLUMNS)
        set(derivedKey(key, SQUARE), MINOR * Math.sqrt(5) * (1.5 * rank * rank - 0.5), limit);
    }
    const columns = this.#columns(features);
    if (columns <= PRODUCT_COLUMNS) {
      const below = Math.min(limit, Math.sqrt((2 * PRODUCT_NUMBERS) / Math.max(contents, 1)));
      for (let a = 0; a < columns; a++)
        for (let b = 0; b < a; b++)
          set(productKey(this.#keys[a]!, this.#keys[b]!), MINOR * this.#values[a]! * this.#values[b]!, below);
    }
    const scale = sum > 0 ? Math.sqrt(NORM / sum) : 1;
    let size = 1;
    for (let row = 0; row < x.length; row++) {
      if (x[row] === 0) continue;
      x[row]! *= scale;
      size++;
    }
    x[0] = 1;
    return packed(x, size);
  }

  /** Finds the columns that have rows; returns how many. In products a number enters by its rank. */
  #columns(features: readonly Feature[]): number {
    const { rows } = this.table;
    let columns = 0;
    for (const { key, number } of features) {
      if (key === BIAS.key) continue;
      const distribution = number === null ? undefined : this.numbers.known.get(key);
      const derived = distribution ? derivedKey(key, RANK) : key;
      if (!rows.has(derived) || columns > PRODUCT_COLUMNS) continue;
      this.#keys[columns] = derived;
      this.#varies[columns] = distribution ? 1 : 0;
      this.#values[columns++] = distribution ? Math.sqrt(3) * distribution.rank(number!) : 1;
    }
    return columns;
  }
}

const productKey = (a: number, b: number) => mix(a ^ b) || 1;
