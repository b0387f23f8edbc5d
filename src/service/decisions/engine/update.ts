import type { Rows } from './block.ts';
import type { Recent } from './change.ts';
import { COPIES, probability, sigmoid } from './copies.ts';
import type { PartOfReward } from './delays.ts';
import { LINEAR, PREDICTIONS, UNCALIBRATED } from './evidence.ts';
import { compact, expand, type Feature } from './features.ts';
import { correctLinear, learnLinear, linearBlock } from './linear.ts';
import { type Example, fresh, hashOf, type Known, type Model, type Waiting } from './model.ts';
import { move, partsOf, project } from './parts.ts';
import { responseOf } from './reward.ts';

/**
 * A decision is learned once it is older than this share of the responses were, of the part of the reward that comes first:
 * what comes later corrects it. Where all parts were waited for, as many decisions as are made meanwhile would be made alike,
 * and the content that earns most was found later than without the wait.
 */
const LEARNED = 0.75;

/** How fast the running rate of responses follows. */
const RATE_STEP = 0.005;

/** Decisions that wait for a response or for silence to count. */
const MAX_PENDING = 4096;

/**
 * Folds in a decision's first outcome, or its silence. `response` is in [0, 1].
 * Laplace's approximation, online (Chapelle & Li, 2011, with full covariance): the score is the sum of a category's
 * block, a content's block, a block of each attribute and a personal scalar, treated as independent; the mode lies on the line mean + step ×
 * covariance × features, so it is found by Newton steps on one number, and the curvature there shrinks each
 * covariance by a rank-one term.
 */
function learn(model: Model, { compact, ...waiting }: Waiting, response: number): void {
  const features = expand(compact);
  addFeatures(model, features, waiting.user);
  const parts = partsOf(model, { ...waiting, features }, true);
  const { known, pair } = parts;
  const predicted = new Float64Array(PREDICTIONS);
  for (let copy = 0; copy < COPIES.length; copy++) {
    const { mean, variance } = project(copy, parts);
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
    move(copy, parts, step, shrink);
    if (pair && COPIES[copy]!.personal) {
      pair.mean += step * pair.variance;
      pair.variance -= shrink * pair.variance * pair.variance;
    }
  }
  // What its category and attributes say of it is where a new content starts.
  if (known.seen === 0 && known.linear.capacity === 0)
    known.linear = linearBlock(predicted[model.evidence.copy]!);
  const straight = learnOne(model, known, model.encode(features), response);
  predicted[UNCALIBRATED] = straight;
  predicted[LINEAR] = model.calibration.probability(straight);
  model.calibration.learn(straight, response);
  const expected = Math.min(predicted[model.evidence.copy]!, predicted[LINEAR]!);
  model.evidence.add(predicted, response);
  model.rate += RATE_STEP * (response - model.rate);
  known.seen++;
  const { decision, contentId, at, nth } = waiting;
  model.change.add({ decision, contentId, at, predicted, expected, nth, response, counted: false });
}

/**
 * Teaches the linear expert of a content. Returns what it predicted, drawn towards the running rate of all responses by
 * its uncertainty.
 */
function learnOne(model: Model, { linear }: Known, x: Rows, response: number): number {
  linear.reserve(Math.min(model.encoding.table.rows.size, model.linearRows));
  const belief = learnLinear(linear, x, response);
  const weight = belief.variance / (1 + belief.variance);
  return (belief.mean + weight * model.rate) / (1 + weight);
}

/** Keeps a decision, with its first reward, until it counts. */
export function keepPending(
  model: Model,
  { features, ...example }: Example,
  reward: number,
  parts: readonly PartOfReward[],
): void {
  const waiting = { ...example, compact: compact(features), nth: ++model.decisions, reward };
  model.pending.set(example.decision, waiting);
  model.delays.add(parts, { ms: 0, decisions: 0 });
}

/**
 * Folds in the decisions that are old enough by now, each with the response that it has. A response waits as long as
 * silence does: if it counted first, a content that was shown often of late would seem to earn more than it does.
 */
export function countPending(model: Model, now: number): void {
  for (const [decision, waiting] of model.pending) {
    const age = { ms: now - waiting.at, decisions: model.decisions - waiting.nth };
    if (model.pending.size <= MAX_PENDING && !model.delays.haveSomePassed(LEARNED, age)) break;
    model.pending.delete(decision);
    const response = responseOf(waiting.reward);
    learn(model, waiting, response);
    countWorth(model, waiting.contentId, waiting.reward, response);
  }
  for (const fallen of model.change.count(model.delays, now, model.decisions)) startAgain(model, fallen, now);
}

/** Takes note of another reward of a decision, which waits or was folded in. */
export function respond(
  model: Model,
  example: Example,
  {
    from,
    to,
    parts,
  }: { readonly from: number; readonly to: number; readonly parts: readonly PartOfReward[] },
): void {
  const [before, after] = [responseOf(from), responseOf(to)];
  const pending = model.pending.get(example.decision);
  const since = pending ?? model.change.recent.get(example.decision);
  if (since) model.delays.add(parts, { ms: example.at - since.at, decisions: model.decisions - since.nth });
  if (pending) model.pending.set(example.decision, { ...pending, reward: to });
  else {
    if (after !== before) amend(model, example, before, after);
    countWorth(model, example.contentId, to - from, after - before);
  }
}

/** Learns the value of responses, separately from their probability. */
function countWorth(model: Model, contentId: string, reward: number, response: number): void {
  const known = model.contents.get(contentId);
  if (!known) return;
  known.rewards += reward;
  known.responses += response;
  model.rewards += reward;
  model.responses += response;
}

/**
 * Corrects an outcome that was folded in as `from` and turned out to be `to`: silence, then a click.
 * The response enters the log-likelihood linearly, so the correction moves the mean and leaves the certainty alone;
 * it never moves the score by more than one, which is as far as the linear view holds.
 */
function amend(model: Model, example: Example, from: number, to: number): void {
  const parts = partsOf(model, example, false);
  const { pair } = parts;
  for (let copy = 0; copy < COPIES.length; copy++) {
    const { variance } = project(copy, parts);
    const step = (to - from) * Math.min(1, 1 / Math.max(variance, 1e-9));
    move(copy, parts, step, 0);
    if (pair && COPIES[copy]!.personal) pair.mean += step * pair.variance;
  }
  correctLinear(parts.known.linear, model.encode(example.features), to - from);
  const recent = model.change.recent.get(example.decision);
  if (!recent) return;
  const learnedSince = Math.max(model.decisions - model.pending.size - recent.nth, 0);
  model.calibration.correct(recent.predicted[UNCALIBRATED]!, to - from, learnedSince);
  model.evidence.correct(recent.predicted, from, to, learnedSince);
  model.change.correct(recent, to);
}

/** Returns a content that stopped earning what it did to its prior; with another shortly before, the whole model. */
function startAgain(model: Model, fallen: Recent, now: number): void {
  if (model.change.fell(fallen, now)) forgetAll(model);
  else {
    const known = model.contents.get(fallen.contentId);
    if (!known) return;
    model.contents.set(fallen.contentId, atPrior(fallen.contentId, known));
  }
}

function forgetAll(model: Model): void {
  model.categories.clear();
  model.attributes.clear();
  model.personal.pairs.clear();
  model.evidence.reset();
  model.calibration.reset();
  for (const [contentId, known] of model.contents) model.contents.set(contentId, atPrior(contentId, known));
}

const atPrior = (contentId: string, { blocks, linear, epoch }: Known) =>
  fresh(
    contentId,
    blocks.map(({ origin }) => origin),
    linear.origin,
    epoch + 1,
  );

/** Counts the features of a decision. One that takes the row of another begins at its prior. */
function addFeatures(model: Model, features: readonly Feature[], user: string | null): void {
  const taken = model.views.learn(features);
  if (taken.some(({ length }) => length > 0))
    for (const blocks of model.everyBlocks())
      for (const [copy, block] of blocks.entries())
        for (const row of taken[COPIES[copy]!.view]!) block.forget(row);
  const rows = model.encoding.learn(features, user === null ? 0 : hashOf(user)[0]);
  for (const row of rows) for (const { linear } of model.contents.values()) linear.forget(row);
}
