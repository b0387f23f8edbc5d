/** A sparse feature vector, packed: rows of a feature table, ascending, and the values there. */
export interface Rows {
  readonly rows: Int32Array;
  readonly values: Float64Array;
}

/** The entries of a vector that are not zero, of which there are `size`. */
export function packed(vector: Float64Array, size: number): Rows {
  const found = { rows: new Int32Array(size), values: new Float64Array(size) };
  let at = 0;
  for (let row = 0; at < size; row++) {
    if (vector[row] === 0) continue;
    found.rows[at] = row;
    found.values[at++] = vector[row]!;
  }
  return found;
}

/** Mean and variance of a part of the log-odds that a decision gets a response. */
export interface Belief {
  readonly mean: number;
  readonly variance: number;
}

/** Prior variances of the weights in a block, for the bias (row 0) and for the other rows. */
export interface Spread {
  readonly bias: number;
  readonly weight: number;
}

export const triangle = (size: number) => (size * (size + 1)) / 2;

/**
 * The sum of the first `count` values, each times the covariance of its row, whose part of the triangle begins at `base`. Four sums
 * at once: one waits for each addition to end.
 */
function along(
  covariance: Float32Array,
  base: number,
  rows: Int32Array,
  values: Float64Array,
  count: number,
): number {
  let [first, second, third, fourth] = [0, 0, 0, 0];
  let i = 0;
  for (; i + 3 < count; i += 4) {
    first += values[i]! * covariance[base + rows[i]!]!;
    second += values[i + 1]! * covariance[base + rows[i + 1]!]!;
    third += values[i + 2]! * covariance[base + rows[i + 2]!]!;
    fourth += values[i + 3]! * covariance[base + rows[i + 3]!]!;
  }
  for (; i < count; i++) first += values[i]! * covariance[base + rows[i]!]!;
  return first + second + (third + fourth);
}

/** Adds `factor` × a row of a covariance, its first `count` values. Four at once: a loop's own work is as much as theirs. */
function addTimes(
  target: Float64Array,
  factor: number,
  row: Float32Array,
  base: number,
  count: number,
): void {
  let i = 0;
  for (; i + 3 < count; i += 4) {
    target[i]! += factor * row[base + i]!;
    target[i + 1]! += factor * row[base + i + 1]!;
    target[i + 2]! += factor * row[base + i + 2]!;
    target[i + 3]! += factor * row[base + i + 3]!;
  }
  for (; i < count; i++) target[i]! += factor * row[base + i]!;
}

/**
 * Takes `factor` × the first `count` values of a direction from a row of a covariance, in the same way. One function for both
 * would get arrays of two kinds: a decision and its learning then take 1.2 times as long.
 */
function takeTimes(
  row: Float32Array,
  base: number,
  factor: number,
  direction: Float64Array,
  count: number,
): void {
  let i = 0;
  for (; i + 3 < count; i += 4) {
    row[base + i]! -= factor * direction[i]!;
    row[base + i + 1]! -= factor * direction[i + 1]!;
    row[base + i + 2]! -= factor * direction[i + 2]!;
    row[base + i + 3]! -= factor * direction[i + 3]!;
  }
  for (; i < count; i++) row[base + i]! -= factor * direction[i]!;
}

/**
 * Features × covariance × features, of the first `count` rows. Four rows of the triangle at once: the time goes into reading
 * the features.
 */
function quadratic(covariance: Float32Array, rows: Int32Array, values: Float64Array, count: number): number {
  let sum = 0;
  let a = 0;
  for (; a + 3 < count; a += 4) {
    const [row, second, third, fourth] = [rows[a]!, rows[a + 1]!, rows[a + 2]!, rows[a + 3]!];
    const [at0, at1, at2, at3] = [triangle(row), triangle(second), triangle(third), triangle(fourth)];
    let [s0, s1, s2, s3] = [0, 0, 0, 0];
    for (let i = 0; i < a; i++) {
      const before = rows[i]!;
      const value = values[i]!;
      s0 += value * covariance[at0 + before]!;
      s1 += value * covariance[at1 + before]!;
      s2 += value * covariance[at2 + before]!;
      s3 += value * covariance[at3 + before]!;
    }
    const [v0, v1, v2, v3] = [values[a]!, values[a + 1]!, values[a + 2]!, values[a + 3]!];
    s1 += v0 * covariance[at1 + row]!;
    s2 += v0 * covariance[at2 + row]! + v1 * covariance[at2 + second]!;
    s3 += v0 * covariance[at3 + row]! + v1 * covariance[at3 + second]! + v2 * covariance[at3 + third]!;
    sum +=
      v0 * (2 * s0 + v0 * covariance[at0 + row]!) +
      v1 * (2 * s1 + v1 * covariance[at1 + second]!) +
      v2 * (2 * s2 + v2 * covariance[at2 + third]!) +
      v3 * (2 * s3 + v3 * covariance[at3 + fourth]!);
  }
  for (; a < count; a++) {
    const base = triangle(rows[a]!);
    sum +=
      values[a]! * (2 * along(covariance, base, rows, values, a) + values[a]! * covariance[base + rows[a]!]!);
  }
  return sum;
}

/**
 * A Gaussian with full covariance over the weights of one category or one content, in one copy of the model. Packed: of the
 * covariance, the lower triangle, row after row. Rows that never occurred are at their prior, independent of all others,
 * and take no storage beyond `capacity`.
 */
export class Block {
  readonly spread: Spread;
  /** Prior mean of the bias. */
  readonly origin: number;
  capacity = 0;
  mean = new Float64Array(0);
  /** In single precision, in which a model of many contents is half as large; the sums are made in double. */
  covariance = new Float32Array(0);

  constructor(spread: Spread, origin: number) {
    this.spread = spread;
    this.origin = origin;
  }

  /** What the block adds to the score of a decision with these features. */
  believe(x: Rows): Belief {
    return { mean: this.expected(x), variance: this.variance(x) };
  }

  /** The mean of what `believe` gives. */
  expected({ rows, values }: Rows): number {
    if (this.capacity === 0) return rows[0] === 0 ? values[0]! * this.origin : 0;
    let mean = 0;
    for (let i = 0; i < rows.length && rows[i]! < this.capacity; i++)
      mean += values[i]! * this.mean[rows[i]!]!;
    return mean;
  }

  /** The variance of what `believe` gives, which costs most of it. */
  variance({ rows, values }: Rows): number {
    const { capacity, spread } = this;
    let variance = 0;
    // Rows ascend, so those that never occurred are the last.
    let count = rows.length;
    for (; count > 0 && rows[count - 1]! >= capacity; count--)
      variance += values[count - 1]! ** 2 * (rows[count - 1] === 0 ? spread.bias : spread.weight);
    variance += quadratic(this.covariance, rows, values, count);
    // Rounding may leave a trace below zero.
    return Math.max(variance, 0);
  }

  /** Mean of the weight of a row; 0 if the row never occurred. */
  weight(row: number): number {
    return row < this.capacity ? this.mean[row]! : 0;
  }

  /** Covariance × features, into `direction`. The rows must be within the capacity. */
  project({ rows, values }: Rows, direction: Float64Array): void {
    const { capacity, covariance } = this;
    direction.fill(0, 0, capacity);
    let upTo = 0;
    for (let i = 0; i < capacity; i++) {
      const base = triangle(i);
      const here = upTo < rows.length && rows[upTo] === i;
      if (here) upTo++;
      direction[i]! += along(covariance, base, rows, values, upTo);
      if (!here) continue;
      addTimes(direction, values[upTo - 1]!, covariance, base, i);
    }
  }

  /** Moves the mean by `step` × direction and takes `shrink` × direction × directionᵀ from the covariance. */
  update(direction: Float64Array, step: number, shrink: number): void {
    const { capacity, covariance, mean } = this;
    for (let i = 0; i < capacity; i++) mean[i]! += step * direction[i]!;
    if (shrink === 0) return;
    let at = 0;
    for (let i = 0; i < capacity; i++) {
      const factor = shrink * direction[i]!;
      if (factor !== 0) takeTimes(covariance, at, factor, direction, i + 1);
      at += i + 1;
    }
  }

  /** Extends the capacity to `size` rows, new ones at their prior. */
  reserve(size: number): void {
    const { capacity, mean, covariance, spread } = this;
    if (size <= capacity) return;
    this.capacity = size;
    this.mean = new Float64Array(size);
    this.covariance = new Float32Array(triangle(size));
    this.mean.set(mean);
    this.covariance.set(covariance);
    for (let row = capacity; row < size; row++) {
      if (row === 0) this.mean[0] = this.origin;
      this.covariance[triangle(row) + row] = row === 0 ? spread.bias : spread.weight;
    }
  }

  /** Forgets the rows from `size` on: what is known of the others stays as it is (the marginal of a Gaussian). */
  truncate(size: number): void {
    if (size >= this.capacity) return;
    this.capacity = size;
    this.mean = this.mean.slice(0, size);
    this.covariance = this.covariance.slice(0, triangle(size));
  }

  /** Size in numbers of eight bytes. */
  get size(): number {
    return this.mean.length + this.covariance.length / 2;
  }

  /** The diagonal of the covariance. */
  variances(): number[] {
    return Array.from({ length: this.capacity }, (_, row) => this.covariance[triangle(row) + row]!);
  }

  setCovariance(a: number, b: number, value: number): void {
    const later = Math.max(a, b);
    this.covariance[triangle(later) + Math.min(a, b)] = value;
  }

  /** Returns one row to its prior, independent of the others: its feature was replaced by another. */
  forget(row: number): void {
    if (row >= this.capacity) return;
    this.mean[row] = 0;
    this.covariance.fill(0, triangle(row), triangle(row) + row);
    this.covariance[triangle(row) + row] = this.spread.weight;
    for (let i = row + 1; i < this.capacity; i++) this.covariance[triangle(i) + row] = 0;
  }
}
