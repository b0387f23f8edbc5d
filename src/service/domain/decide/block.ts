/** One entry of a sparse feature vector: a row of the feature table, and the value there. */
export interface Row {
  readonly row: number;
  readonly value: number;
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

const triangle = (size: number) => (size * (size + 1)) / 2;

/**
 * Gaussians with full covariance over the weights of one category or one content, one for each copy of the model.
 * Packed: a copy's mean has `capacity` numbers and its covariance the lower triangle, row after row. Rows that never
 * occurred are at their prior, independent of all others, and take no storage beyond `capacity`.
 */
export class Block {
  readonly spreads: readonly Spread[];
  /** Prior mean of the bias. */
  readonly origin: number;
  capacity = 0;
  mean = new Float64Array(0);
  covariance = new Float64Array(0);

  constructor(spreads: readonly Spread[], origin: number) {
    this.spreads = spreads;
    this.origin = origin;
  }

  /** What the block adds to the score of a decision with these features. */
  believe(copy: number, rows: readonly Row[]): Belief {
    const { capacity, covariance } = this;
    const offset = copy * triangle(capacity);
    const start = copy * capacity;
    const spread = this.spreads[copy]!;
    let mean = 0;
    let variance = 0;
    for (let a = 0; a < rows.length; a++) {
      const { row, value } = rows[a]!;
      if (row >= capacity) {
        variance += value * value * (row === 0 ? spread.bias : spread.weight);
        if (row === 0) mean += value * this.origin;
        continue;
      }
      mean += value * this.mean[start + row]!;
      // Rows ascend, so each pair lies in the triangle at its later row.
      const base = offset + triangle(row);
      let cross = 0;
      for (let b = 0; b < a; b++) cross += rows[b]!.value * covariance[base + rows[b]!.row]!;
      variance += value * (2 * cross + value * covariance[base + row]!);
    }
    return { mean, variance };
  }

  /** Mean of the weight of a row; 0 if the row never occurred. */
  weight(copy: number, row: number): number {
    return row < this.capacity ? this.mean[copy * this.capacity + row]! : 0;
  }

  /** Covariance × features of one copy, into `direction`. The rows must be within the capacity. */
  project(copy: number, rows: readonly Row[], direction: Float64Array): void {
    const { capacity, covariance } = this;
    const offset = copy * triangle(capacity);
    direction.fill(0, 0, capacity);
    for (const { row, value } of rows) {
      const base = offset + triangle(row);
      for (let j = 0; j <= row; j++) direction[j]! += value * covariance[base + j]!;
      for (let i = row + 1; i < capacity; i++)
        direction[i]! += value * covariance[offset + triangle(i) + row]!;
    }
  }

  /** Moves the mean by `step` × direction and takes `shrink` × direction × directionᵀ from the covariance. */
  update(copy: number, direction: Float64Array, step: number, shrink: number): void {
    const { capacity, covariance, mean } = this;
    const start = copy * capacity;
    for (let i = 0; i < capacity; i++) mean[start + i]! += step * direction[i]!;
    if (shrink === 0) return;
    let at = copy * triangle(capacity);
    for (let i = 0; i < capacity; i++) {
      const factor = shrink * direction[i]!;
      if (factor === 0) at += i + 1;
      else for (let j = 0; j <= i; j++) covariance[at++]! -= factor * direction[j]!;
    }
  }

  /** Extends the capacity to `size` rows, new ones at their prior. */
  reserve(size: number): void {
    if (size <= this.capacity) return;
    const old = { capacity: this.capacity, mean: this.mean, covariance: this.covariance };
    const copies = this.spreads.length;
    this.capacity = size;
    this.mean = new Float64Array(copies * size);
    this.covariance = new Float64Array(copies * triangle(size));
    for (const [copy, spread] of this.spreads.entries()) {
      this.mean.set(old.mean.subarray(copy * old.capacity, (copy + 1) * old.capacity), copy * size);
      const packed = triangle(old.capacity);
      const offset = copy * triangle(size);
      this.covariance.set(old.covariance.subarray(copy * packed, (copy + 1) * packed), offset);
      for (let row = old.capacity; row < size; row++) {
        if (row === 0) this.mean[copy * size] = this.origin;
        this.covariance[offset + triangle(row) + row] = row === 0 ? spread.bias : spread.weight;
      }
    }
  }

  /** The number of stored numbers. */
  get size(): number {
    return this.mean.length + this.covariance.length;
  }

  /** The diagonal of every covariance. */
  variances(): number[] {
    const { capacity } = this;
    return this.spreads.flatMap((_, copy) =>
      Array.from(
        { length: capacity },
        (_, row) => this.covariance[copy * triangle(capacity) + triangle(row) + row]!,
      ),
    );
  }

  setMean(copy: number, row: number, value: number): void {
    this.mean[copy * this.capacity + row] = value;
  }

  setCovariance(copy: number, a: number, b: number, value: number): void {
    const later = Math.max(a, b);
    this.covariance[copy * triangle(this.capacity) + triangle(later) + Math.min(a, b)] = value;
  }

  /** Returns one row to its prior, independent of the others: its feature was replaced by another. */
  forget(row: number): void {
    if (row >= this.capacity) return;
    for (const [copy, spread] of this.spreads.entries()) {
      const offset = copy * triangle(this.capacity);
      this.mean[copy * this.capacity + row] = 0;
      this.covariance.fill(0, offset + triangle(row), offset + triangle(row) + row);
      this.covariance[offset + triangle(row) + row] = spread.weight;
      for (let i = row + 1; i < this.capacity; i++) this.covariance[offset + triangle(i) + row] = 0;
    }
  }
}
