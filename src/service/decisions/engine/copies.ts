import { scaleOf } from '../../catalog/attributes.ts';
import { type Belief, Block, type Rows, type Spread } from './block.ts';
import { ALL_KINDS, BIAS, DEEDS, type Feature, KINDS, magnitudeKey, PLACES, TRAITS } from './features.ts';
import { RowTable } from './row-table.ts';

/**
 * Prior variances in a category's block, in that of an attribute, and in a content's: how far it deviates from what it
 * shares with others.
 */
export const SHARED: Spread = { bias: 0.5, weight: 0.25 };
const ATTRIBUTE: Spread = { bias: 0.2, weight: 0.1 };
export const OWN: Spread = { bias: 0.35, weight: 0.12 };

/** Prior variance of personal preference, in the copy that has it. */
export const USER_VARIANCE = 2;

/** Most rows of a block of a copy. */
export const MAX_COPY_ROWS = 64;

/** The sets of kinds of features that matter, as bits. */
export const VIEWS = [0, PLACES, TRAITS, DEEDS, ALL_KINDS] as const;

/**
 * The assumptions of each copy of the logistic model: which features matter at all (an index of `VIEWS`), and whether users have
 * preferences of their own. All learn from every outcome.
 */
export const COPIES: readonly { readonly view: number; readonly personal: boolean }[] = [
  ...VIEWS.map((_, view) => ({ view, personal: false })),
  { view: 0, personal: true },
];
/** The default copy has every kind of feature. */
export const DEFAULT_COPY = VIEWS.length - 1;

/** Maximum weight of the features of one kind: the sum of the squares of their values. */
const GROUP = 1.5;

/** The rows of the features that each view has. */
export class Views {
  readonly tables: readonly RowTable[] = VIEWS.map(() => new RowTable(MAX_COPY_ROWS));

  /** Counts the features of a decision. Returns, for each view, the rows that were taken from other features. */
  learn(features: readonly Feature[]): number[][] {
    return this.tables.map((table, view) => {
      const taken: number[] = [];
      table.start();
      for (const feature of features) {
        if (!(feature.kind & VIEWS[view]!)) continue;
        // One that is always there widens the prior of the bias.
        const row = table.count(magnitudeKey(feature), true);
        if (row !== undefined) taken.push(row);
      }
      return taken;
    });
  }

  /** The features of a decision that a view has, rows ascending, within the first `limit` rows. */
  find(view: number, features: readonly Feature[], limit: number): Rows {
    const scales = KINDS.map((kind) => {
      const count = features.reduce(
        (sum, each) => sum + Number(each.kind === kind && each.key !== BIAS.key),
        0,
      );
      return Math.min(1, Math.sqrt(GROUP / Math.max(1, count)));
    });
    const { rows } = this.tables[view]!;
    const found = [{ row: 0, value: 1 }];
    for (const feature of features) {
      if (!(feature.kind & VIEWS[view]!) || feature.key === BIAS.key) continue;
      const row = rows.get(magnitudeKey(feature));
      if (row !== undefined && row < limit)
        found.push({ row, value: scales[KINDS.indexOf(feature.kind as 1)]! });
    }
    found.sort((a, b) => a.row - b.row);
    return {
      rows: Int32Array.from(found, ({ row }) => row),
      values: Float64Array.from(found, ({ value }) => value),
    };
  }
}

/**
 * The mean of the log-odds for which the expected probability of a content without outcomes is `prior`, averaged over the
 * uncertainty. The inverse of `probability`.
 */
export function originOf(prior: number, variance: number): number {
  const p = Math.min(Math.max(prior, 0.001), 0.999);
  return Math.log(p / (1 - p)) * Math.sqrt(1 + (Math.PI * variance) / 8);
}

export const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** Expected probability under a belief (MacKay, 1992: the logistic averaged over a Gaussian). */
export function probability({ mean, variance }: Belief): number {
  return sigmoid(mean / Math.sqrt(1 + (Math.PI * variance) / 8));
}

export function priorVariance({ bias, weight }: Spread, { rows, values }: Rows): number {
  let variance = 0;
  for (let i = 0; i < rows.length; i++) variance += values[i]! ** 2 * (rows[i] === 0 ? bias : weight);
  return variance;
}

/** The prior variance of what so many attributes add to a score. */
export const attributesVariance = (attributes: number, rows: Rows): number =>
  attributes === 0 ? 0 : attributes * scaleOf(attributes) ** 2 * priorVariance(ATTRIBUTE, rows);

/** The prior variance of the score of a content that was never met. */
export function unmetVariance(copy: number, views: readonly Rows[], attributes: number): number {
  const { view, personal } = COPIES[copy]!;
  const rows = views[view]!;
  return (
    priorVariance(SHARED, rows) +
    priorVariance(OWN, rows) +
    (personal ? USER_VARIANCE : 0) +
    attributesVariance(attributes, rows)
  );
}

/** A category's blocks at their priors. */
export const sharedBlocks = (): Block[] => COPIES.map(() => new Block(SHARED, 0));

/** An attribute's blocks at their priors. */
export const attributeBlocks = (): Block[] => COPIES.map(() => new Block(ATTRIBUTE, 0));

/** A content's blocks at their priors; `origins` are the means of the biases. */
export const ownBlocks = (origins: readonly number[]): Block[] =>
  COPIES.map((_, copy) => new Block(OWN, origins[copy]!));
