import type { Block } from './block.ts';
import { type ChangeDetector, MAX_RECENT } from './change.ts';
import { MAX_FEATURES } from './feature-table.ts';
import { packFeatures, unpackFeatures } from './features.ts';
import { COPIES, contentHash, emptyModel, type Known, Model, ownBlock, sharedBlock } from './model.ts';
import { convertOldActions } from './older-snapshot.ts';

/** Layout of a stored model. Layout 2 had covariances in double precision, layout 1 is converted; no other is read. */
const LAYOUT = 3;

/** A model as text, for the store. The same model gives the same text. */
export function serialiseModel(model: Model): string {
  const { features, personal, change } = model;
  const pairs = [...personal.pairs];
  const recent = [...change.recent.values()];
  return JSON.stringify({
    layout: LAYOUT,
    version: model.version,
    counts: [model.decisions, model.rewards, model.responses, features.total],
    evidence: pack(model.evidence),
    features: [...features.rows],
    counted: [...features.counts],
    categories: [...model.categories].map(([name, block]) => [name, ...packBlock(block)]),
    contents: [...model.contents].map(([id, known]) => [
      id,
      [known.seen, known.life, known.rewards, known.responses],
      ...packBlock(known.block),
    ]),
    pairs: pairs.map(([key]) => key),
    tastes: pack(Float64Array.from(pairs.flatMap(([, { mean, variance }]) => [...mean, ...variance]))),
    recent: recent.map((r) => [r.decision, r.contentId, r.at, r.expected, r.nth, r.response]),
    predicted: pack(Float64Array.from(recent.flatMap(({ predicted }) => [...predicted]))),
    pending: [...model.pending.values()].map(
      ({ decision, at, prior, contentId, category, user, features }) => [
        [decision, at, prior],
        [contentId, category],
        user,
        packFeatures(features),
      ],
    ),
    delays: change.delays,
    sums: [...change.sums],
    lastFall: Number.isFinite(change.lastFall) ? change.lastFall : null,
  });
}

/**
 * Reads a stored model, or returns null for anything that is not a whole and sound one (cut off, another layout,
 * sizes that do not fit, a number that is none, a negative variance): the caller decides on the priors instead.
 */
export function parseModel(text: string): Model | null {
  try {
    const stored = JSON.parse(text);
    if (stored.layout === 1) return convertOldActions(stored.version, stored.actions);
    if (stored.layout !== LAYOUT && stored.layout !== 2) return null;
    return read(stored);
  } catch {
    return null;
  }
}

/** The model of this text, or the one that has learned nothing, marked as version 0. */
export function modelOrEmpty(text: string | undefined): Model {
  return (text === undefined ? null : parseModel(text)) ?? emptyModel();
}

interface Stored {
  version: number;
  counts: number[];
  evidence: string;
  features: [number, number][];
  counted: [number, number][];
  categories: [string, number, number, string, string][];
  contents: [string, number[], number, number, string, string][];
  pairs: number[];
  tastes: string;
  recent: [number, string, number, number, number, number][];
  pending: [number[], string[], string | null, number[]][];
  predicted: string;
  delays: number[];
  sums: [string, number][];
  lastFall: number | null;
}

/** Throws for anything unsound. */
function read(stored: Stored): Model {
  const model = new Model();
  const copies = COPIES.length;
  must(Number.isSafeInteger(stored.version));
  model.version = stored.version;
  [model.decisions, model.rewards, model.responses, model.features.total] = numbers(stored.counts, 4) as [
    number,
    number,
    number,
    number,
  ];
  must(model.responses > 0);
  model.evidence.set(unpack(stored.evidence, copies));
  must(stored.features.length <= MAX_FEATURES);
  for (const [key, row] of stored.features) {
    must(Number.isInteger(key) && Number.isInteger(row) && row >= 0 && row < MAX_FEATURES);
    model.features.rows.set(key, row);
  }
  for (const [key, count] of stored.counted) model.features.counts.set(...pairOf(key, count));
  for (const [name, ...block] of stored.categories) {
    must(typeof name === 'string');
    model.categories.set(name, readBlock(sharedBlock(), block));
  }
  for (const [id, counts, ...block] of stored.contents) {
    must(typeof id === 'string');
    const [seen, life, rewards, responses] = numbers(counts, 4) as [number, number, number, number];
    const hash = contentHash(id, life);
    const known: Known = {
      block: readBlock(ownBlock(block[1]), block),
      hash,
      seen,
      life,
      rewards,
      responses,
    };
    model.contents.set(id, known);
  }
  const tastes = unpack(stored.tastes, stored.pairs.length * copies * 2);
  for (const [i, key] of stored.pairs.entries()) {
    const from = i * copies * 2;
    const variance = tastes.slice(from + copies, from + 2 * copies);
    must(Number.isSafeInteger(key) && variance.every((v) => v >= 0));
    model.personal.pairs.set(key, { mean: tastes.slice(from, from + copies), variance });
  }
  for (const [times, ids, user, features] of stored.pending) {
    const [decision, at, prior] = numbers(times, 3) as [number, number, number];
    const [contentId, category] = ids as [string, string];
    must(typeof contentId === 'string' && typeof category === 'string');
    must(user === null || typeof user === 'string');
    const packed = unpackFeatures(numbers(features, features.length));
    model.pending.set(decision, { decision, at, prior, contentId, category, user, features: packed });
  }
  readChange(model.change, stored);
  return model;
}

function readChange(change: ChangeDetector, stored: Stored): void {
  const copies = COPIES.length;
  must(stored.recent.length <= MAX_RECENT);
  const predicted = unpack(stored.predicted, stored.recent.length * copies);
  for (const [i, [decision, contentId, ...rest]] of stored.recent.entries()) {
    const [at, expected, nth, response] = numbers(rest, 4) as [number, number, number, number];
    const seen = predicted.slice(i * copies, (i + 1) * copies);
    change.recent.set(decision, { decision, contentId, at, expected, nth, response, predicted: seen });
  }
  change.delays.push(...numbers(stored.delays, stored.delays.length));
  for (const [contentId, sum] of stored.sums) change.sums.set(contentId, numbers([sum], 1)[0]!);
  change.lastFall = stored.lastFall ?? Number.NEGATIVE_INFINITY;
}

const packBlock = (block: Block) =>
  [block.capacity, block.origin, pack(block.mean), pack(block.covariance)] as const;

function readBlock(
  block: Block,
  [capacity, , mean, covariance]: readonly [number, number, string, string],
): Block {
  must(Number.isInteger(capacity) && capacity >= 0 && capacity <= MAX_FEATURES);
  block.reserve(capacity);
  block.mean.set(unpack(mean, block.mean.length));
  block.covariance.set(unpackSingle(covariance, block.covariance.length));
  must(block.variances().every((variance) => variance >= 0));
  return block;
}

/** Little-endian IEEE 754 numbers in base64: exact, and a third of the size of decimal digits. */
const pack = (values: Float64Array | Float32Array) =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');

function unpack(text: string, length: number): Float64Array {
  const bytes = Buffer.from(text, 'base64');
  must(bytes.length === length * 8);
  const values = new Float64Array(length);
  Buffer.from(values.buffer).set(bytes);
  must(values.every(Number.isFinite));
  return values;
}

/** Numbers of four bytes; of layout 2, of eight. */
function unpackSingle(text: string, length: number): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== length * 4) return Float32Array.from(unpack(text, length));
  const values = new Float32Array(length);
  Buffer.from(values.buffer).set(bytes);
  must(values.every(Number.isFinite));
  return values;
}

function numbers(values: unknown, length: number): number[] {
  must(Array.isArray(values) && values.length === length && values.every(Number.isFinite));
  return values as number[];
}

const pairOf = (key: number, value: number) => numbers([key, value], 2) as [number, number];

function must(sound: boolean): void {
  if (!sound) throw new RangeError('not a sound model');
}
