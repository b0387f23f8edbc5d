import type { Block } from './block.ts';
import type { Recent } from './change.ts';
import type { Feature } from './features.ts';
import { COPIES, type Example, fresh, type Model, probability, sigmoid, type Waiting } from './model.ts';
import { move, partsOf, project } from './parts.ts';
import { responseOf } from './reward.ts';

/** What a decision tells of a copy's predictions lasts for about 1 / (1 - MEMORY) decisions. */
const MEMORY = 0.999;

/** A decision is learned once it is older than this share of the responses were. */
const LEARNED = 0.75;

/** Decisions that wait for a response or for silence to count. */
const MAX_PENDING = 4096;

/**
 * Folds in a decision's first outcome, or its silence. `response` is in [0, 1].
 * Laplace's approximation, online (Chapelle & Li, 2011, with full covariance): the score is the sum of a category's
 * block, a content's block, a block of each attribute and a personal scalar, treated as independent; the mode lies on the line mean + step ×
 * covariance × features, so it is found by Newton steps on one number, and the curvature there shrinks each
 * covariance by a rank-one term.
 */
function learn(model: Model, waiting: Waiting, response: number): void {
  addFeatures(model, waiting.features);
  const parts = partsOf(model, waiting, true);
  const { known, pair } = parts;
  const predicted = new Float64Array(COPIES.length);
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
  const { decision, contentId, at, nth } = waiting;
  model.change.add({ decision, contentId, at, predicted, expected, nth, response, counted: false });
}

/** Keeps a decision, with its first reward, until it counts. */
export function keepPending(model: Model, example: Example, reward: number): void {
  model.pending.set(example.decision, { ...example, nth: ++model.decisions, reward });
  if (responseOf(reward) > 0) model.delays.add({ ms: 0, decisions: 0 });
}

/**
 * Folds in the decisions that are old enough by now, each with the response that it has. A response waits as long as
 * silence does: if it counted first, a content that was shown often of late would seem to earn more than it does.
 */
export function countPending(model: Model, now: number): void {
  for (const [decision, waiting] of model.pending) {
    const age = { ms: now - waiting.at, decisions: model.decisions - waiting.nth };
    if (model.pending.size <= MAX_PENDING && !model.delays.havePassed(LEARNED, age)) break;
    model.pending.delete(decision);
    const response = responseOf(waiting.reward);
    learn(model, waiting, response);
    countWorth(model, waiting.contentId, waiting.reward, response);
  }
  for (const fallen of model.change.count(model.delays, now, model.decisions)) startAgain(model, fallen);
}

/** Takes note of a higher reward of a decision, which waits or was folded in. */
export function respond(model: Model, example: Example, from: number, to: number): void {
  const [before, after] = [responseOf(from), responseOf(to)];
  const pending = model.pending.get(example.decision);
  const since = pending ?? model.change.recent.get(example.decision);
  if (before === 0 && after > 0 && since)
    model.delays.add({ ms: example.at - since.at, decisions: model.decisions - since.nth });
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
    if (pair) pair.mean[copy]! += step * pair.variance[copy]!;
  }
  const recent = model.change.recent.get(example.decision);
  if (!recent) return;
  const learnedSince = model.decisions - model.pending.size - recent.nth;
  const discount = MEMORY ** Math.max(learnedSince, 0);
  for (let copy = 0; copy < COPIES.length; copy++)
    model.evidence[copy]! +=
      discount * (logLikelihood(recent.predicted[copy]!, to) - logLikelihood(recent.predicted[copy]!, from));
  model.change.correct(recent, to);
}

/** Returns a content that stopped earning what it did to its prior; with another shortly before, the whole model. */
function startAgain(model: Model, fallen: Recent): void {
  if (model.change.fell(fallen)) forgetAll(model);
  else {
    const known = model.contents.get(fallen.contentId);
    if (!known) return;
    model.contents.set(fallen.contentId, fresh(fallen.contentId, originsOf(known.blocks), known.epoch + 1));
  }
}

function forgetAll(model: Model): void {
  model.categories.clear();
  model.attributes.clear();
  model.personal.pairs.clear();
  model.evidence.fill(0);
  for (const [contentId, { blocks, epoch }] of model.contents)
    model.contents.set(contentId, fresh(contentId, originsOf(blocks), epoch + 1));
}

const logLikelihood = (p: number, response: number) =>
  response * Math.log(p) + (1 - response) * Math.log(1 - p);

const originsOf = (blocks: readonly Block[]) => blocks.map(({ origin }) => origin);

/** Counts the features of a decision. One that takes the row of another begins at its prior. */
function addFeatures(model: Model, features: readonly Feature[]): void {
  for (const [view, table] of model.tables.entries())
    for (const row of table.getOrCreate(features))
      for (const blocks of model.everyBlocks())
        for (const [copy, block] of blocks.entries()) if (COPIES[copy]!.view === view) block.forget(row);
}
