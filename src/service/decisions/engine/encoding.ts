import { mix } from '../../../kit/hash32.ts';
import { packed, type Rows } from './block.ts';
import type { Comparison } from './explain.ts';
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
  /** The places of these columns among the features. */
  readonly #of = new Uint16Array(MAX_ROWS);

  /** Whether a column has a row. */
  isKnown(key: number): boolean {
    return this.table.rows.has(key) || this.table.rows.has(derivedKey(key, STANDARD));
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
    x.fill(0);
    let sum = 0;
    this.#visit(features, limit, contents, (row, value) => {
      x[row] = value;
      sum += value * value;
    });
    const scale = scaleOf(sum);
    let size = 1;
    for (let row = 0; row < x.length; row++) {
      if (x[row] === 0) continue;
      x[row]! *= scale;
      size++;
    }
    x[0] = 1;
    return packed(x, size);
  }

  /**
   * Compares two contents by a weighted sum of the vector of a decision, column by column.
   * @param weight difference of their weights of a row
   * @param lead difference of their scores
   */
  compare(
    features: readonly Feature[],
    limit: number,
    contents: number,
    weight: (row: number) => number,
    lead: number,
  ): Omit<Comparison, 'isAhead' | 'preference'> {
    // What each column adds alone and in products, and its squares.
    const [alone, product, squares, productSquares] = Array.from(
      { length: 4 },
      () => new Float64Array(features.length),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
    let sum = 0;
    let length = 0;
    this.#visit(features, limit, contents, (row, value, column, other) => {
      const part = value * weight(row);
      const square = value * value;
      sum += part;
      length += square;
      if (other < 0) {
        alone[column]! += part;
        squares[column]! += square;
      } else
        for (const each of [column, other]) {
          product[each]! += part;
          productSquares[each]! += square;
        }
    });
    const scale = scaleOf(length);
    const rest = lead - scale * sum;
    return {
      effects: alone.map((part, i) => scale * (part + product[i]! / 2)),
      leadWith: (column, value) => {
        let changed = sum - alone[column]! - product[column]!;
        let left = length - squares[column]! - productSquares[column]!;
        if (value !== null) {
          const { key, number } = features[column]!;
          const distribution = this.numbers.known.get(key);
          const before = distribution?.rank(number!) ?? 0;
          const ratio = before === 0 ? 0 : distribution!.rank(value) / before;
          changed += ratio * product[column]!;
          left += ratio * ratio * productSquares[column]!;
          this.#visitOne(key, value, limit, features.length <= SQUARE_COLUMNS, (row, each) => {
            changed += each * weight(row);
            left += each * each;
          });
        }
        return rest + scaleOf(left) * changed;
      },
      numbers: this.numbers.known,
    };
  }

  /** Visits the rows of a decision with their values: those of each column, then those of products of two columns. */
  #visit(
    features: readonly Feature[],
    limit: number,
    contents: number,
    visit: (row: number, value: number, column: number, other: number) => void,
  ): void {
    const squares = features.length <= SQUARE_COLUMNS;
    for (let i = 0; i < features.length; i++) {
      const { key, number } = features[i]!;
      if (key !== BIAS.key)
        this.#visitOne(key, number, limit, squares, (row, value) => visit(row, value, i, -1));
    }
    const columns = this.#columns(features);
    if (columns > PRODUCT_COLUMNS) return;
    const { rows } = this.table;
    const below = Math.min(limit, Math.sqrt((2 * PRODUCT_NUMBERS) / Math.max(contents, 1)));
    for (let a = 0; a < columns; a++)
      for (let b = 0; b < a; b++) {
        const row = rows.get(productKey(this.#keys[a]!, this.#keys[b]!));
        const value = MINOR * this.#values[a]! * this.#values[b]!;
        if (row !== undefined && row < below && Math.abs(value) >= SMALLEST)
          visit(row, value, this.#of[a]!, this.#of[b]!);
      }
  }

  /** Visits the rows of one column alone. */
  #visitOne(
    key: number,
    number: number | null,
    limit: number,
    squares: boolean,
    visit: (row: number, value: number) => void,
  ): void {
    const { rows } = this.table;
    const set = (derived: number, value: number) => {
      const row = rows.get(derived);
      if (row !== undefined && row < limit && Math.abs(value) >= SMALLEST) visit(row, value);
    };
    set(key, 1);
    const distribution = number === null ? undefined : this.numbers.known.get(key);
    if (!distribution?.varies) return;
    const rank = distribution.rank(number!);
    set(derivedKey(key, STANDARD), distribution.standardised(number!));
    set(derivedKey(key, RANK), Math.sqrt(3) * rank);
    if (squares) set(derivedKey(key, SQUARE), MINOR * Math.sqrt(5) * (1.5 * rank * rank - 0.5));
  }

  /** Finds the columns that have rows; returns how many. In products a number enters by its rank. */
  #columns(features: readonly Feature[]): number {
    const { rows } = this.table;
    let columns = 0;
    for (let i = 0; i < features.length; i++) {
      const { key, number } = features[i]!;
      if (columns > PRODUCT_COLUMNS) break;
      if (key === BIAS.key) continue;
      const distribution = number === null ? undefined : this.numbers.known.get(key);
      const derived = distribution ? derivedKey(key, RANK) : key;
      if (!rows.has(derived)) continue;
      this.#keys[columns] = derived;
      this.#of[columns] = i;
      this.#varies[columns] = distribution ? 1 : 0;
      this.#values[columns++] = distribution ? Math.sqrt(3) * distribution.rank(number!) : 1;
    }
    return columns;
  }
}

/** What these columns are called in the rows that they have, alone and in products. */
export function namesOfRows(
  columns: readonly (readonly [key: number, name: string])[],
  { rows }: RowTable,
): Map<number, string> {
  const names = new Map<number, string>();
  const add = (key: number, name: string) => {
    if (rows.has(key)) names.set(key, name);
  };
  for (const [key, name] of columns) {
    add(key, name);
    add(derivedKey(key, STANDARD), name);
    add(derivedKey(key, RANK), `rank of ${name}`);
    add(derivedKey(key, SQUARE), `square of the rank of ${name}`);
  }
  const factors = [...names];
  for (const [i, [a, name]] of factors.entries())
    for (const [b, other] of factors.slice(0, i)) add(productKey(a, b), `${other} × ${name}`);
  return names;
}

const productKey = (a: number, b: number) => mix(a ^ b) || 1;

/** The factor that gives a vector with this sum of squares its length. */
const scaleOf = (squares: number) => (squares > 0 ? Math.sqrt(NORM / squares) : 1);
