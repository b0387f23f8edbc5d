import { type Belief, Block, type Rows, type Spread } from './block.ts';

/** Prior variances of the weights of a linear expert; the encoding scales its values to them. */
const PRIOR: Spread = { bias: 1, weight: 1 };
/** The width of the upper bound, in deviations. */
const ALPHA = 0.3;

/** A content's block at its prior, by which it is expected to earn a response with probability `prior`. */
export const linearBlock = (prior: number) => new Block(PRIOR, prior);

/** What a content that was never met is expected to earn. */
export const unmetLinear = (prior: number, { values }: Rows): Belief => ({
  mean: prior * values[0]!,
  variance: values.reduce((sum, value) => sum + value * value, 0),
});

/** The upper bound of an expected response (Li, Chu, Langford & Schapire, 2010: LinUCB). */
export const upperBound = ({ mean, variance }: Belief) => mean + ALPHA * Math.sqrt(variance);

const direction = new Float64Array(1024);

/**
 * Learns a response: recursive least squares, or a Kalman filter whose state does not move (Kalman, 1960). Returns what was
 * believed before. The rows of the features must be within the block's capacity.
 */
export function learnLinear(block: Block, x: Rows, response: number): Belief {
  block.project(x, direction);
  let mean = 0;
  let variance = 0;
  for (let i = 0; i < x.rows.length; i++) {
    const row = x.rows[i]!;
    mean += x.values[i]! * block.weight(row);
    variance += x.values[i]! * direction[row]!;
  }
  // Rounding may leave a trace below zero.
  variance = Math.max(variance, 0);
  block.update(direction, (response - mean) / (1 + variance), 1 / (1 + variance));
  return { mean, variance };
}

/** Corrects a response that was learned before: the certainty stays as it is. */
export function correctLinear(block: Block, x: Rows, change: number): void {
  block.project(x, direction);
  block.update(direction, change, 0);
}
