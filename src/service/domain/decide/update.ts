import type { Belief, Block, Rows } from './block.ts';
import { MAX_FEATURES } from './feature-table.ts';
import {
  COPIES,
  type Example,
  fresh,
  hashOf,
  type Model,
  OWN,
  originOf,
  pairKey,
  priorVariance,
  probability,
  SHARED,
  sharedBlock,
  sigmoid,
  TASTES,
} from './model.ts';

/** What a decision tells of a copy's predictions lasts for about 1 / (1 - MEMORY) decisions. */
const MEMORY = 0.999;

/** Contents in a model; the one not chosen for the longest time makes room. */
const MAX_CONTENTS = 10_000;

/** Decisions that wait for a response or for silence to count. */
const MAX_PENDING = 4096;

/** Covariances, of four bytes, that blocks may take together; with many contents each has fewer rows. */
const MAX_NUMBERS = 5_500_000;

const direction = [new Float64Array(64), new Float64Array(64)] as const;

/**
 * Folds in a decision's first outcome, or its silence. `response` is in [0, 1].
 * Laplace's approximation, online (Chapelle & Li, 2011, with full covariance): the score is the sum of a category's
 * block, a content's block and a personal scalar, treated as independent; the mode lies on the line mean + step ×
 * covariance × features, so it is found by Newton steps on one number, and the curvature there shrinks each
 * covariance by a rank-one term.
 */
export function learn(model: Model, example: Example, response: number): void {
  for (const row of model.features.meet(example.features)) {
    for (const block of model.categories.values()) block.forget(row);
    for (const { block } of model.contents.values()) block.forget(row);
  }
  const { shared, known, rows } = blocksOf(model, example);
  const pair =
    example.user === null ? undefined : model.personal.meet(pairKey(hashOf(example.user), known.hash));
  const predicted = new Float64Array(COPIES.length);
  for (let copy = 0; copy < COPIES.length; copy++) {
    const { mean, variance } = project(copy, shared, known.block, rows, pair);
    predicted[copy] = Math.min(Math.max(probability({ mean, variance }), 1e-6), 1 - 1e-6);
    let step = 0;
    for (let i = 0; i < 25; i++) {
      const p = sigmoid(mean + variance * step);
      const gap = response - p - step;
      if (Math.abs(gap) < 1e-9) break;
      step += gap / (1 + variance * p * (1 - p));
    }
    const p = sigmoid(mean + variance * step);
    const curvature = Math.max(p * (1 - p), 1e-6);
    const shrink = curvature / (1 + curvature * variance);
    shared.update(copy, direction[0], step, shrink);
    known.block.update(copy, direction[1], step, shrink);
    if (pair) {
      const own = pair.variance[copy]!;
      pair.mean[copy]! += step * own;
      pair.variance[copy] = own - shrink * own * own;
    }
  }
  const expected = predicted[model.best]!;
  for (let copy = 0; copy < COPIES.length; copy++)
    model.evidence[copy] = MEMORY * model.evidence[copy]! + logLikelihood(predicted[copy]!, response);
  known.seen++;
  model.decisions++;
  const { decision, contentId, at } = example;
  const nth = model.decisions;
  if (model.change.add({ decision, contentId, at, predicted, expected, nth, response }))
    startAgain(model, contentId);
}

/** Keeps a decision without a response until silence counts: once it is older than half of the responses were. */
export function keepPending(model: Model, example: Example): void {
  model.pending.set(example.decision, example);
}

/** Folds in the silence of the decisions that are old enough by now. */
export function countSilence(model: Model, now: number): void {
  for (const [decision, example] of model.pending) {
    const early = example.at > now - model.change.medianDelay;
    if (early && model.pending.size <= MAX_PENDING) break;
    model.pending.delete(decision);
    learn(model, example, 0);
  }
}

/** Folds in a response to a decision whose silence was folded in or still waits. */
export function respond(model: Model, example: Example, from: number, to: number): void {
  const pending = model.pending.get(example.decision);
  if (!pending) {
    amend(model, example, from, to);
    return;
  }
  model.pending.delete(example.decision);
  model.change.responded(example.at - pending.at);
  learn(model, { ...example, at: pending.at }, to);
}

/**
 * Corrects an outcome that was folded in as `from` and turned out to be `to`: silence, then a click.
 * The response enters the log-likelihood linearly, so the correction moves the mean and leaves the certainty alone;
 * it never moves the score by more than one, which is as far as the linear view holds.
 */
function amend(model: Model, example: Example, from: number, to: number): void {
  const { shared, known, rows } = blocksOf(model, example);
  const pair =
    example.user === null ? undefined : model.personal.find(pairKey(hashOf(example.user), known.hash));
  for (let copy = 0; copy < COPIES.length; copy++) {
    const { variance } = project(copy, shared, known.block, rows, pair);
    const step = (to - from) * Math.min(1, 1 / Math.max(variance, 1e-9));
    shared.update(copy, direction[0], step, 0);
    known.block.update(copy, direction[1], step, 0);
    if (pair) pair.mean[copy]! += step * pair.variance[copy]!;
  }
  const recent = model.change.recent.get(example.decision);
  if (!recent) return;
  if (from === 0) model.change.responded(example.at - recent.at);
  const discount = MEMORY ** (model.decisions - recent.nth);
  for (let copy = 0; copy < COPIES.length; copy++)
    model.evidence[copy]! +=
      discount * (logLikelihood(recent.predicted[copy]!, to) - logLikelihood(recent.predicted[copy]!, from));
  model.change.correct(recent, to);
}

/** Returns a content that stopped earning what it did to its prior; with another shortly before, the whole model. */
function startAgain(model: Model, contentId: string): void {
  if (model.change.fell(model.decisions)) forgetAll(model);
  else {
    const known = model.contents.get(contentId)!;
    model.contents.set(contentId, fresh(contentId, known.block.origin, known.life + 1));
  }
}

function forgetAll(model: Model): void {
  model.categories.clear();
  model.personal.pairs.clear();
  model.change.sums.clear();
  model.evidence.fill(0);
  for (const [contentId, { block, life }] of model.contents)
    model.contents.set(contentId, fresh(contentId, block.origin, life + 1));
}

const logLikelihood = (p: number, response: number) =>
  response * Math.log(p) + (1 - response) * Math.log(1 - p);

/** The blocks of a decision, made at their priors where they are not known, with room for its features. */
function blocksOf(model: Model, example: Example) {
  const { contentId, category, prior, features } = example;
  let known = model.contents.get(contentId);
  if (!known) {
    if (model.contents.size >= MAX_CONTENTS) model.contents.delete(model.contents.keys().next().value!);
    const copy = model.best;
    const rows = model.features.find(features);
    const variance = priorVariance(SHARED, rows) + priorVariance(OWN[copy]!, rows) + TASTES[copy]!;
    known = fresh(contentId, originOf(prior, variance), 0);
    model.contents.set(contentId, known);
    makeRoom(model);
  }
  let shared = model.categories.get(category);
  if (!shared) {
    shared = sharedBlock();
    model.categories.set(category, shared);
    makeRoom(model);
  }
  const rows = below(mostRows(model), model.features.find(features));
  const size = (rows.rows.at(-1) ?? 0) + 1;
  shared.reserve(size);
  known.block.reserve(size);
  return { shared, known, rows };
}

/** Rows that a block may have while the model has so many of them. */
function mostRows({ contents, categories }: Model): number {
  const blocks = contents.size + categories.size;
  return Math.max(1, Math.floor(Math.sqrt((2 * MAX_NUMBERS) / (COPIES.length * blocks))));
}

/** Makes room for one more block: the others may have grown while there were fewer. */
function makeRoom(model: Model): void {
  const most = mostRows(model);
  if (most >= MAX_FEATURES) return;
  for (const block of model.categories.values()) block.truncate(most);
  for (const { block } of model.contents.values()) block.truncate(most);
}

/** The rows below a limit. */
function below(limit: number, { rows, values }: Rows): Rows {
  const first = rows.findIndex((row) => row >= limit);
  return first < 0 ? { rows, values } : { rows: rows.subarray(0, first), values: values.subarray(0, first) };
}

/** Fills the two directions; returns mean and variance of the whole score. */
function project(
  copy: number,
  shared: Block,
  own: Block,
  { rows, values }: Rows,
  pair: { readonly mean: Float64Array; readonly variance: Float64Array } | undefined,
): Belief {
  shared.project(copy, { rows, values }, direction[0]);
  own.project(copy, { rows, values }, direction[1]);
  let mean = pair?.mean[copy] ?? 0;
  let variance = pair?.variance[copy] ?? 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    const value = values[i]!;
    mean += value * (shared.weight(copy, row) + own.weight(copy, row));
    variance += value * (direction[0][row]! + direction[1][row]!);
  }
  return { mean, variance: Math.max(variance, 0) };
}
