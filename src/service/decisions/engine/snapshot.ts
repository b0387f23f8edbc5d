import { MAX_ATTRIBUTES, MAX_OF_CONTENT } from '../../catalog/attributes.ts';
import { type Block, triangle } from './block.ts';
import { type ChangeDetector, MAX_RECENT } from './change.ts';
import { attributeBlocks, COPIES, ownBlocks, sharedBlocks } from './copies.ts';
import { Delays } from './delays.ts';
import { MAX_ROWS } from './encoding.ts';
import { EXPERTS, PREDICTIONS } from './evidence.ts';
import { compact, expand, packFeatures, unpackFeatures } from './features.ts';
import { linearBlock } from './linear.ts';
import { contentHash, emptyModel, type Known, Model } from './model.ts';
import { Distribution, MAX_NUMBERS, SAMPLE } from './numbers.ts';
import type { RowTable } from './row-table.ts';
import {
  joined,
  must,
  numbers,
  pack,
  type Stored,
  type StoredBlocks,
  unpack,
  unpackSingle,
} from './stored.ts';

/** Layout of a stored model; no other is read. */
const LAYOUT = 4;

/** A model as text, for the store. The same model gives the same text. */
export function serialiseModel(model: Model): string {
  const { views, encoding, personal, change } = model;
  const recent = [...change.recent.values()];
  return JSON.stringify({
    layout: LAYOUT,
    version: model.version,
    counts: [model.decisions, model.rewards, model.responses, model.rate],
    evidence: pack(model.evidence.sums),
    calibration: [pack(model.calibration.counts), pack(model.calibration.errors)],
    tables: [...views.tables, encoding.table].map(packTable),
    numbers: [...encoding.numbers.known].map(([key, { count, mean, variance, values, owners }]) => [
      [key, count, mean, variance],
      values,
      owners,
    ]),
    categories: [...model.categories].map(([name, blocks]) => [name, ...packBlocks(blocks)]),
    attributes: [...model.attributes].map(([hash, blocks]) => [hash, ...packBlocks(blocks)]),
    contents: [...model.contents].map(([id, known]) => [
      id,
      [known.seen, known.epoch, known.rewards, known.responses],
      packBlocks([known.linear]),
      ...packBlocks(known.blocks),
    ]),
    pairs: [...personal.pairs].map(([key, { mean, variance }]) => [key, mean, variance]),
    recent: recent.map((r) => [
      r.decision,
      r.contentId,
      r.at,
      r.expected,
      r.nth,
      r.response,
      Number(r.counted),
    ]),
    waiting: [...change.waiting.keys()],
    predicted: pack(joined(recent.map(({ predicted }) => predicted))),
    pending: [...model.pending.values()].map(
      ({ decision, at, prior, nth, reward, contentId, category, attributes, user, compact }) => [
        [decision, at, prior, nth, reward],
        [contentId, category],
        user,
        packFeatures(expand(compact)),
        attributes,
      ],
    ),
    delays: [...model.delays.parts].map(([part, { earned, delays }]) => [
      part,
      earned,
      delays.kept.map(({ ms, decisions }) => [ms, decisions]),
    ]),
    sums: [...change.sums],
    lastFall: Number.isFinite(change.lastFall) ? change.lastFall : null,
    resetAt: change.resetAt,
  });
}

/**
 * Reads a stored model, or returns null for anything that is not a whole and sound one (cut off, another layout,
 * sizes that do not fit, a number that is none, a negative variance): the caller decides on the priors instead.
 */
export function parseModel(text: string): Model | null {
  try {
    const stored = JSON.parse(text);
    return stored.layout === LAYOUT ? read(stored) : null;
  } catch {
    return null;
  }
}

/** The model of this text, or the one that has learned nothing, marked as version 0. */
export function modelOrEmpty(text: string | undefined): Model {
  return (text === undefined ? null : parseModel(text)) ?? emptyModel();
}

/** Throws for anything unsound. */
function read(stored: Stored): Model {
  const model = new Model();
  must(Number.isSafeInteger(stored.version));
  model.version = stored.version;
  [model.decisions, model.rewards, model.responses, model.rate] = numbers(stored.counts, 4) as [
    number,
    number,
    number,
    number,
  ];
  must(model.responses > 0);
  model.evidence.sums.set(unpack(stored.evidence, EXPERTS));
  const { counts, errors } = model.calibration;
  counts.set(unpack(stored.calibration[0], counts.length));
  errors.set(unpack(stored.calibration[1], errors.length));
  must(counts.every((count) => count >= 0));
  const tables = [...model.views.tables, model.encoding.table];
  must(stored.tables.length === tables.length);
  for (const [i, table] of stored.tables.entries()) readTable(tables[i]!, table);
  must(stored.numbers.length <= MAX_NUMBERS);
  for (const [moments, values, owners] of stored.numbers) {
    const [key, count, mean, variance] = numbers(moments, 4) as [number, number, number, number];
    must(Array.isArray(values) && values.length <= SAMPLE && variance >= 0);
    const distribution = Object.assign(new Distribution(), { count, mean, variance });
    distribution.values = numbers(values, values.length);
    distribution.owners = numbers(owners, values.length);
    model.encoding.numbers.known.set(key, distribution);
  }
  for (const [name, ...blocks] of stored.categories) {
    must(typeof name === 'string');
    model.categories.set(name, readBlocks(sharedBlocks(), blocks));
  }
  must(stored.attributes.length <= MAX_ATTRIBUTES);
  for (const [hash, ...blocks] of stored.attributes) {
    must(Number.isSafeInteger(hash));
    model.attributes.set(hash, readBlocks(attributeBlocks(), blocks));
  }
  for (const [id, counts, linear, ...blocks] of stored.contents) {
    must(typeof id === 'string');
    const [seen, epoch, rewards, responses] = numbers(counts, 4) as [number, number, number, number];
    const hash = contentHash(id, epoch);
    const known: Known = {
      blocks: readBlocks(ownBlocks(numbers(blocks[1], COPIES.length)), blocks),
      linear: readBlocks([linearBlock(numbers(linear[1], 1)[0]!)], linear)[0]!,
      hash,
      seen,
      epoch,
      rewards,
      responses,
    };
    model.contents.set(id, known);
  }
  for (const each of stored.pairs) {
    const [key, mean, variance] = numbers(each, 3) as [number, number, number];
    must(Number.isSafeInteger(key) && variance >= 0);
    model.personal.pairs.set(key, { mean, variance });
  }
  for (const [times, ids, user, features, attributes] of stored.pending) {
    const [decision, at, prior, nth, reward] = numbers(times, 5) as [number, number, number, number, number];
    const [contentId, category] = ids as [string, string];
    must(typeof contentId === 'string' && typeof category === 'string');
    must(user === null || typeof user === 'string');
    const packed = unpackFeatures(features);
    must(
      packed.every(({ key, number }) => Number.isFinite(key) && (number === null || Number.isFinite(number))),
    );
    must(Array.isArray(attributes) && attributes.length <= MAX_OF_CONTENT);
    must(attributes.every(Number.isSafeInteger));
    const example = { decision, at, prior, contentId, category, attributes, user, compact: compact(packed) };
    model.pending.set(decision, { ...example, nth, reward });
  }
  for (const [part, earned, kept] of stored.delays) {
    must(typeof part === 'string' && Number.isFinite(earned) && earned >= 0);
    const delays = new Delays();
    for (const delay of kept) {
      const [ms, decisions] = numbers(delay, 2) as [number, number];
      delays.add({ ms, decisions });
    }
    model.delays.parts.set(part, { earned, delays });
  }
  readChange(model.change, stored);
  model.limitRows();
  return model;
}

const packTable = ({ rows, counts, total, bar }: RowTable) => [[...rows], [...counts], [total, bar]];

function readTable(table: RowTable, [rows, counts, total]: Stored['tables'][number]): void {
  must(rows.length <= table.most);
  for (const [key, row] of rows) {
    must(Number.isInteger(key) && Number.isInteger(row) && row >= 0 && row < table.most);
    table.rows.set(key, row);
  }
  for (const [key, count] of counts) table.counts.set(...pairOf(key, count));
  [table.total, table.bar] = pairOf(...total);
}

function readChange(change: ChangeDetector, stored: Stored): void {
  must(stored.recent.length <= MAX_RECENT);
  const predicted = unpack(stored.predicted, stored.recent.length * PREDICTIONS);
  for (const [i, [decision, contentId, ...rest]] of stored.recent.entries()) {
    const [at, expected, nth, response, counted] = numbers(rest, 5) as [
      number,
      number,
      number,
      number,
      number,
    ];
    change.recent.set(decision, {
      ...{ decision, contentId, at, expected, nth, response },
      predicted: predicted.slice(i * PREDICTIONS, (i + 1) * PREDICTIONS),
      counted: counted === 1,
    });
  }
  for (const decision of stored.waiting) {
    const recent = change.recent.get(decision);
    must(recent !== undefined && !recent.counted);
    change.waiting.set(decision, recent!);
  }
  for (const [contentId, sum] of stored.sums) change.sums.set(contentId, numbers([sum], 1)[0]!);
  change.lastFall = stored.lastFall ?? Number.NEGATIVE_INFINITY;
  change.resetAt = stored.resetAt ?? null;
  must(change.resetAt === null || Number.isFinite(change.resetAt));
}

const packBlocks = (blocks: readonly Block[]): StoredBlocks => [
  blocks.map(({ capacity }) => capacity),
  blocks.map(({ origin }) => origin),
  pack(joined(blocks.map(({ mean }) => mean))),
  pack(joined(blocks.map(({ covariance }) => covariance))),
];

function readBlocks(blocks: Block[], [capacities, , means, covariances]: StoredBlocks): Block[] {
  const sizes = numbers(capacities, blocks.length);
  must(sizes.every((size) => Number.isInteger(size) && size >= 0 && size <= MAX_ROWS));
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const mean = unpack(means, sum(sizes));
  const covariance = unpackSingle(covariances, sum(sizes.map(triangle)));
  let at = 0;
  let packed = 0;
  for (const [copy, size] of sizes.entries()) {
    const block = blocks[copy]!;
    block.reserve(size);
    block.mean.set(mean.subarray(at, at + size));
    block.covariance.set(covariance.subarray(packed, packed + triangle(size)));
    at += size;
    packed += triangle(size);
    must(block.variances().every((variance) => variance >= 0));
  }
  return blocks;
}

const pairOf = (key: number, value: number) => numbers([key, value], 2) as [number, number];
