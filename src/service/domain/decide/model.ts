import type { Feature } from './features.ts';

/**
 * What is believed about one action: a Gaussian over the weights of the features met so far, with full covariance.
 * A feature not met has the prior, independent of all others, so it needs no row until it is met.
 */
export interface Posterior {
  /** Log-odds believed before any outcome; the mean of the bias' weight. */
  readonly prior: number;
  /** Feature keys, in the order they were met. */
  readonly keys: number[];
  readonly mean: number[];
  /** Lower triangle, row after row: row i has i + 1 numbers. */
  readonly covariance: number[];
  /** Outcomes folded in. */
  seen: number;
}

/** A model: a posterior for each action that has an outcome. The others are at their prior. */
export interface Model {
  readonly version: number;
  readonly actions: Map<string, Posterior>;
}

/** Prior variances of the weights: how far actions, and one action's contexts, are expected to differ. */
export const BIAS_VARIANCE = 1;
export const WEIGHT_VARIANCE = 0.35;

/** Most features kept for one action. Later ones share the rows of earlier ones, so memory stays bounded. */
export const MAX_FEATURES = 64;

export const emptyModel = (): Model => ({ version: 0, actions: new Map() });

const priorVariance = (key: number) => (key === 0 ? BIAS_VARIANCE : WEIGHT_VARIANCE);
const at = (row: number, column: number) =>
  row >= column ? (row * (row + 1)) / 2 + column : (column * (column + 1)) / 2 + row;

/**
 * The mean of the log-odds for which the expected probability in a context with these features, averaged over all that
 * is not known yet, is `prior`: what the catalogue promises of a content without outcomes. The inverse of `probability`.
 */
export function priorMean(prior: number, features: readonly Feature[]): number {
  const p = Math.min(Math.max(prior, 0.001), 0.999);
  let variance = 0;
  for (const { key } of features) variance += priorVariance(key);
  return Math.log(p / (1 - p)) * Math.sqrt(1 + (Math.PI * variance) / 8);
}

export function newPosterior(prior: number): Posterior {
  return { prior, keys: [], mean: [], covariance: [], seen: 0 };
}

/** The row of a feature, or -1 where the action has not met it. */
function rowOf(posterior: Posterior, key: number): number {
  const row = posterior.keys.indexOf(key);
  if (row >= 0 || posterior.keys.length < MAX_FEATURES) return row;
  return 1 + (key % (MAX_FEATURES - 1));
}

/** Mean and variance of the log-odds that the action wins its reward in a context with these features. */
export interface Belief {
  readonly mean: number;
  readonly variance: number;
}

/** The belief about an action in a context; `posterior` is undefined for an action without outcomes. */
export function believe(
  posterior: Posterior | undefined,
  features: readonly Feature[],
  prior: number,
): Belief {
  if (!posterior) {
    let variance = 0;
    for (const feature of features) variance += priorVariance(feature.key);
    return { mean: prior, variance };
  }
  let mean = 0;
  let variance = 0;
  const rows: number[] = [];
  for (const { key } of features) {
    const row = rowOf(posterior, key);
    if (row < 0) {
      variance += priorVariance(key);
      if (key === 0) mean += posterior.prior;
    } else {
      mean += posterior.mean[row]!;
      rows.push(row);
    }
  }
  for (const row of rows) for (const column of rows) variance += posterior.covariance[at(row, column)]!;
  return { mean, variance };
}

/** What one feature adds to the log-odds; 0 for a feature the action has not met. */
export function weightOf(posterior: Posterior | undefined, feature: Feature): number {
  if (!posterior) return 0;
  const row = rowOf(posterior, feature.key);
  return row < 0 ? 0 : posterior.mean[row]!;
}

export const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** Expected probability under a belief (MacKay, 1992: the logistic averaged over a Gaussian). */
export function probability({ mean, variance }: Belief): number {
  return sigmoid(mean / Math.sqrt(1 + (Math.PI * variance) / 8));
}

/**
 * Folds one outcome into an action's posterior, in place. `reward` is in [0, 1].
 * Laplace's approximation, online (Chapelle & Li, 2011, with full covariance): after one outcome the mode lies on the
 * line mean + step × covariance × features, so it is found by Newton steps on one number, and the curvature there
 * shrinks the covariance by a rank-one term. Cost: the square of the features the action has met.
 */
export function learn(posterior: Posterior, features: readonly Feature[], reward: number): void {
  const rows = meet(posterior, features);
  const { direction, variance, score } = project(posterior, rows);
  let step = 0;
  for (let i = 0; i < 25; i++) {
    const p = sigmoid(score + variance * step);
    const gap = reward - p - step;
    if (Math.abs(gap) < 1e-10) break;
    step += gap / (1 + variance * p * (1 - p));
  }
  const p = sigmoid(score + variance * step);
  const curvature = Math.max(p * (1 - p), 1e-6);
  const shrink = curvature / (1 + curvature * variance);
  const { mean, covariance } = posterior;
  for (let i = 0; i < mean.length; i++) {
    mean[i]! += step * direction[i]!;
    const base = (i * (i + 1)) / 2;
    const factor = shrink * direction[i]!;
    for (let j = 0; j <= i; j++) covariance[base + j]! -= factor * direction[j]!;
  }
  posterior.seen++;
}

/**
 * Corrects an outcome that was folded in as `from` and turned out to be `to`: a message opened, then clicked.
 * The reward enters the log-likelihood linearly, so the correction moves the mean and leaves the certainty alone.
 */
export function amend(posterior: Posterior, features: readonly Feature[], from: number, to: number): void {
  const rows = meet(posterior, features);
  const { direction } = project(posterior, rows);
  for (let i = 0; i < posterior.mean.length; i++) posterior.mean[i]! += (to - from) * direction[i]!;
}

/** Rows of the features; those not met before get one, at their prior. */
function meet(posterior: Posterior, features: readonly Feature[]): number[] {
  return features.map(({ key }) => {
    const row = rowOf(posterior, key);
    if (row >= 0) return row;
    const size = posterior.keys.push(key);
    posterior.mean.push(key === 0 ? posterior.prior : 0);
    for (let j = 1; j < size; j++) posterior.covariance.push(0);
    posterior.covariance.push(priorVariance(key));
    return size - 1;
  });
}

/** Covariance × features, and mean and variance of the log-odds. */
function project(posterior: Posterior, rows: readonly number[]) {
  const direction = new Float64Array(posterior.mean.length);
  for (let i = 0; i < direction.length; i++)
    for (const row of rows) direction[i]! += posterior.covariance[at(i, row)]!;
  let variance = 0;
  let score = 0;
  for (const row of rows) {
    variance += direction[row]!;
    score += posterior.mean[row]!;
  }
  return { direction, variance: Math.max(variance, 0), score };
}
