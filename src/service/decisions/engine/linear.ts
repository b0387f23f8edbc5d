import { type Belief, Block, type Rows, type Spread } from './block.ts';
import { BOUND, bounded, MEMORY } from './evidence.ts';

/** Prior variances of the weights of a linear expert; the encoding scales its values to them. */
const PRIOR: Spread = { bias: 1, weight: 1 };
/** The width of the upper bound, in deviations. */
const ALPHA = 0.3;

/** A content's block at its prior, by which it is expected to earn a response with probability `prior`. */
export const linearBlock = (prior: number) => new Block(PRIOR, prior);

/** The variance of a prediction before anything was learned. No block has a larger one: learning only narrows it. */
export const widestVariance = ({ values }: Rows): number =>
  values.reduce((sum, value) => sum + value * value, 0);

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

/** Bins of a calibration, of equal width on the log-odds. */
const BINS = 16;
/** Decisions in a bin after which half of their mean error is believed. */
const HALF = 10;
/** The log-odds of the last bin's end. */
const END = Math.log((1 - BOUND) / BOUND);

/**
 * Makes probabilities of the predictions of the linear experts. A straight line ranks contents better than it predicts, and those
 * that it ranks highest earn less than it says; so by how much predictions of about the same size were wrong of late is added
 * (Zadrozny & Elkan, 2001: calibration by bins). What comes late corrects the sums exactly.
 */
export class Calibration {
  /** For each bin, the decisions and the sum of their errors, the response minus the prediction; both fade as evidence does. */
  readonly counts = new Float64Array(BINS);
  readonly errors = new Float64Array(BINS);

  /** Starts again. */
  reset(): void {
    this.counts.fill(0);
    this.errors.fill(0);
  }

  /** The probability of a response, bounded. */
  probability(predicted: number): number {
    const bin = binOf(predicted);
    return bounded(bounded(predicted) + this.errors[bin]! / (this.counts[bin]! + HALF));
  }

  /** Learns the response to a prediction. */
  learn(predicted: number, response: number): void {
    for (let bin = 0; bin < BINS; bin++) {
      this.counts[bin]! *= MEMORY;
      this.errors[bin]! *= MEMORY;
    }
    const bin = binOf(predicted);
    this.counts[bin]!++;
    this.errors[bin]! += response - bounded(predicted);
  }

  /** Corrects a response of `decisionsAgo` decisions before by this change. */
  correct(predicted: number, change: number, decisionsAgo: number): void {
    this.errors[binOf(predicted)]! += change * MEMORY ** decisionsAgo;
  }
}

function binOf(predicted: number): number {
  const p = bounded(predicted);
  const share = (Math.log(p / (1 - p)) + END) / (2 * END);
  return Math.min(Math.floor(BINS * share), BINS - 1);
}
