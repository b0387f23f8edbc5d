import { scaleOf } from '../../catalog/attributes.ts';
import { type Belief, Block, packed, type Rows, type Spread } from './block.ts';
import { ALL_KINDS, BIAS, DEEDS, type Feature, magnitudeKey, PLACES, TRAITS } from './features.ts';
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
  readonly #found = new Float64Array(MAX_COPY_ROWS);

  /** Counts the features of a decision. Returns, for each view, the rows that were taken from other features. */
  learn(features: readonly Feature[]): number[][] {
    const keys = features.map(magnitudeKey);
    return this.tables.map((table, view) => {
      const taken: number[] = [];
      table.start();
      for (const [i, { kind }] of features.entries()) {
        if (!(kind & VIEWS[view]!)) continue;
        // One that is always there widens the prior of the bias.
        const row = table.count(keys[i]!, true);
        if (row !== undefined) taken.push(row);
      }
      return taken;
    });
  }

  /** The features of a decision that each of these views has, rows ascending, within the first `limit` rows. */
  find(views: readonly number[], features: readonly Feature[], limit: number): Rows[] {
    const counts = new Map<number, number>();
    for (const { kind, key } of features) if (key !== BIAS.key) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const keys = features.map(magnitudeKey);
    const values = features.map(({ kind, key }) =>
      key === BIAS.key ? 1 : Math.min(1, Math.sqrt(GROUP / counts.get(kind)!)),
    );
    return views.map((view) => {
      const { rows } = this.tables[view]!;
      const at = this.#found;
      at.fill(0);
      at[0] = 1;
      let size = 1;
      for (let i = 0; i < features.length; i++) {
        if (!(features[i]!.kind & VIEWS[view]!)) continue;
        const row = rows.get(keys[i]!);
        if (row === undefined || row === 0 || row >= limit) continue;
        if (at[row] === 0) size++;
        at[row]! += values[i]!;
      }
      return packed(at, size);
    });
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
