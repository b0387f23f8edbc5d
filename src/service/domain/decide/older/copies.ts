import { triangle } from '../block.ts';
import { COPIES, DEFAULT_COPY, VIEWS } from '../model.ts';
import { joined, numbers, pack, type StoredBlocks, unpack, unpackSingle } from '../stored.ts';
import type { StoredLayout4 } from './pending.ts';

/** A block of all copies as layouts 2 and 3 stored it; the covariance in layout 2 in double precision. */
type OldBlock = [capacity: number, origin: number, means: string, covariances: string];

/** What layouts 2 and 3 stored differently: six copies with one table of features. */
interface OldStored extends Omit<StoredLayout4, 'tables' | 'categories' | 'contents'> {
  layout: number;
  features: [number, number][];
  counted: [number, number][];
  categories: [string, ...OldBlock][];
  contents: [string, number[], ...OldBlock][];
}

const OLD_COPIES = 6;
/** The old copies with the middle deviation, without and with personal preference. */
const [PLAIN, PERSONAL] = [1, 4];

const sourceOf = (copy: number) => (COPIES[copy]!.taste > 0 ? PERSONAL : PLAIN);
const isWhole = (copy: number) => COPIES[copy]!.view === COPIES[DEFAULT_COPY]!.view;

/**
 * Converts a stored model of layout 2 or 3 to layout 4. Copies with every kind of feature continue from the old ones; of the others, for
 * which the kinds of the old features are not known, only the biases do. Throws for anything unsound.
 */
export function convertOldCopies(old: OldStored): StoredLayout4 {
  const single = old.layout === 3;
  const total = numbers(old.counts, 4)[3]!;
  const everyPair = unpack(old.tastes, old.pairs.length * OLD_COPIES * 2);
  const predicted = unpack(old.predicted, old.recent.length * OLD_COPIES);
  const chosen = (from: Float64Array, at: number) => COPIES.map((_, copy) => from[at + sourceOf(copy)]!);
  return {
    ...old,
    counts: old.counts.slice(0, 3),
    evidence: pack(new Float64Array(COPIES.length)),
    tables: VIEWS.map((view) =>
      view === COPIES[DEFAULT_COPY]!.view ? [old.features, old.counted, total] : [[[0, 0]], [], total],
    ),
    categories: old.categories.map(([name, ...block]) => [name, ...blocksOf(block, single)]),
    contents: old.contents.map(([id, counts, ...block]) => [id, counts, ...blocksOf(block, single)]),
    tastes: pack(
      Float32Array.from(
        old.pairs.flatMap((_, i) => {
          const at = i * OLD_COPIES * 2;
          return [...chosen(everyPair, at), ...chosen(everyPair, at + OLD_COPIES)];
        }),
      ),
    ),
    predicted: pack(Float64Array.from(old.recent.flatMap((_, i) => chosen(predicted, i * OLD_COPIES)))),
  };
}

function blocksOf([capacity, origin, means, covariances]: OldBlock, single: boolean): StoredBlocks {
  const size = triangle(capacity);
  const mean = unpack(means, OLD_COPIES * capacity);
  const covariance = single
    ? unpackSingle(covariances, OLD_COPIES * size)
    : Float32Array.from(unpack(covariances, OLD_COPIES * size));
  const kept = COPIES.map((_, copy) => (isWhole(copy) ? capacity : Math.min(capacity, 1)));
  return [
    kept,
    COPIES.map(() => origin),
    pack(
      joined(
        kept.map((rows, copy) => mean.subarray(sourceOf(copy) * capacity, sourceOf(copy) * capacity + rows)),
      ),
    ),
    pack(
      joined(
        kept.map((rows, copy) =>
          covariance.subarray(sourceOf(copy) * size, sourceOf(copy) * size + triangle(rows)),
        ),
      ),
    ),
  ];
}
