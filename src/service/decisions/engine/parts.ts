import { MAX_ATTRIBUTES, MAX_OF_CONTENT, scaleOf } from '../../catalog/attributes.ts';
import type { Belief, Block, Rows } from './block.ts';
import { attributeBlocks, COPIES, MAX_COPY_ROWS, originOf, sharedBlocks, unmetVariance } from './copies.ts';
import { type Example, fresh, hashOf, type Known, type Model, pairKey } from './model.ts';
import type { Pair } from './personal.ts';

/** Contents, and categories, in a model; the one not learned for the longest time makes room. */
const MAX_CONTENTS = 10_000;
/** As many as the contents of a catalog. */
const MAX_CATEGORIES = 1_000;

/** One of the blocks that a decision's score is the sum of. */
interface Term {
  /** For each copy. */
  readonly blocks: readonly Block[];
  readonly scale: number;
  /** Covariance of the score with the weights of the block; filled by `project`. */
  readonly direction: Float64Array;
}

/** What a decision's score is the sum of: the blocks of its category, content and attributes, and a personal scalar. */
interface Parts {
  readonly terms: readonly Term[];
  readonly known: Known;
  readonly pair: Pair | undefined;
  /** For each view. */
  readonly rows: readonly Rows[];
}

/** Reused by every decision, since one is learned at a time. */
const directions = Array.from({ length: 2 + MAX_OF_CONTENT }, () => new Float64Array(MAX_COPY_ROWS));

/** The parts of a decision, made at their priors where they are not known, with room for its features. */
export function partsOf(model: Model, example: Example, keep: boolean): Parts {
  const { contentId, category, attributes, prior, features, user } = example;
  const known = getOrCreate(model.contents, contentId, MAX_CONTENTS, () => {
    const met = model.rowsOf(features);
    const origins = COPIES.map((_, copy) => originOf(prior, unmetVariance(copy, met, attributes.length)));
    return fresh(contentId, origins, prior, 0);
  });
  const shared = getOrCreate(model.categories, category, MAX_CATEGORIES, sharedBlocks);
  const scale = scaleOf(attributes.length);
  const terms = [
    { blocks: shared, scale: 1 },
    { blocks: known.blocks, scale: 1 },
    ...attributes.map((attribute) => ({
      blocks: getOrCreate(model.attributes, attribute, MAX_ATTRIBUTES, attributeBlocks),
      scale,
    })),
  ].map((term, i) => ({ ...term, direction: directions[i]! }));
  model.limitRows();
  const rows = model.rowsOf(features);
  for (const [copy, { view }] of COPIES.entries()) {
    const size = (rows[view]!.rows.at(-1) ?? 0) + 1;
    for (const { blocks } of terms) blocks[copy]!.reserve(size);
  }
  const key = user === null ? null : pairKey(hashOf(user), known.hash);
  const pair = key === null ? undefined : keep ? model.personal.getOrCreate(key) : model.personal.find(key);
  return { terms, known, pair, rows };
}

/** What is learned under a key, made if it is new, as the most recently met; the one not met for the longest time makes room. */
function getOrCreate<K, V>(learned: Map<K, V>, key: K, limit: number, make: () => V): V {
  const known = learned.get(key);
  if (known !== undefined) learned.delete(key);
  else if (learned.size >= limit) learned.delete(learned.keys().next().value!);
  const value = known ?? make();
  learned.set(key, value);
  return value;
}

/** Fills the directions of the terms; returns mean and variance of the whole score. */
export function project(copy: number, { terms, pair, rows: views }: Parts): Belief {
  const features = views[COPIES[copy]!.view]!;
  for (const { blocks, scale, direction } of terms) {
    blocks[copy]!.project(features, direction);
    if (scale !== 1) for (let i = 0; i < direction.length; i++) direction[i]! *= scale;
  }
  const own = COPIES[copy]!.personal ? pair : undefined;
  let mean = own?.mean ?? 0;
  let variance = own?.variance ?? 0;
  const { rows, values } = features;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]!;
    let weight = 0;
    let covariance = 0;
    for (const { blocks, scale, direction } of terms) {
      weight += scale * blocks[copy]!.weight(row);
      covariance += scale * direction[row]!;
    }
    mean += values[i]! * weight;
    variance += values[i]! * covariance;
  }
  return { mean, variance: Math.max(variance, 0) };
}

/** Moves the blocks of the terms along their directions. */
export function move(copy: number, { terms }: Parts, step: number, shrink: number): void {
  for (const { blocks, direction } of terms) blocks[copy]!.update(direction, step, shrink);
}
