import { hash32 } from '../../../kit/hash32.ts';
import { type Belief, Block, type Row, type Spread } from './block.ts';
import { ChangeDetector } from './change.ts';
import { FeatureTable } from './feature-table.ts';
import type { Feature } from './features.ts';
import { Personal } from './personal.ts';

/** Prior variances in a category's block, the same in every copy. */
export const SHARED: Spread = { bias: 0.5, weight: 0.25 };

/**
 * The assumptions of each copy of the model: how far contents deviate from their category (a factor on the content's prior
 * variances), and the variance of personal preference. All learn from every outcome; the best predictor decides.
 */
export const COPIES: readonly { readonly deviation: number; readonly personal: number }[] = [
  { deviation: 0.1, personal: 0.01 },
  { deviation: 0.35, personal: 0.01 },
  { deviation: 1, personal: 0.01 },
  { deviation: 0.1, personal: 1 },
  { deviation: 0.35, personal: 1 },
  { deviation: 1, personal: 1 },
];
/** The default copy, and the margin (log-likelihood) by which another must predict better. */
const DEFAULT_COPY = 1;
const MARGIN = 4;

const SHARED_IN_ALL = COPIES.map(() => SHARED);
export const OWN: readonly Spread[] = COPIES.map(({ deviation }) => ({
  bias: Math.max(deviation, 0.1),
  weight: 0.35 * deviation,
}));
export const TASTES = COPIES.map(({ personal }) => personal);

/** The learned state of one content. */
export interface Known {
  readonly block: Block;
  /** Decisions folded in. */
  seen: number;
  /** The number of times that the content was returned to its prior. */
  readonly life: number;
  /** Sum of rewards and number of responses: their ratio is the value of a response. */
  rewards: number;
  responses: number;
}

/** One decision for the learner. */
export interface Example {
  readonly decision: number;
  readonly contentId: string;
  readonly category: string;
  readonly prior: number;
  readonly features: readonly Feature[];
  /** Null if the user is unknown. */
  readonly user: string | null;
  /** Unix ms of the entry. */
  readonly at: number;
}

/** The state of the model after an entry of the reward log. */
export class Model {
  /** The last entry of the reward log that is folded in. */
  version = 0;
  readonly features = new FeatureTable();
  readonly categories = new Map<string, Block>();
  readonly contents = new Map<string, Known>();
  readonly personal = new Personal(TASTES);
  readonly change = new ChangeDetector();
  /** Decisions without a response whose silence does not count yet, the oldest first. */
  readonly pending = new Map<number, Example>();
  /** Discounted log-likelihood of each copy's predictions. */
  readonly evidence = new Float64Array(COPIES.length);
  /** Decisions folded in. */
  decisions = 0;
  /** Over all contents; so that one without responses is not favored. */
  rewards = 1;
  responses = 1;

  /** The approximate number of stored numbers. */
  get size(): number {
    let size = 0;
    for (const block of this.categories.values()) size += block.size;
    for (const { block } of this.contents.values()) size += block.size;
    const eachPair = 2 * COPIES.length + 16;
    return size + eachPair * this.personal.pairs.size + 64 * (this.change.recent.size + this.pending.size);
  }

  /**
   * The copy with the best recent predictions. A copy other than the default must lead by a margin: an overconfident copy
   * shows what it knows and predicts that well.
   */
  get best(): number {
    let best = DEFAULT_COPY;
    let highest = this.evidence[DEFAULT_COPY]! + MARGIN;
    for (let copy = 0; copy < COPIES.length; copy++) {
      if (this.evidence[copy]! <= highest) continue;
      best = copy;
      highest = this.evidence[copy]!;
    }
    return best;
  }
}

export const emptyModel = (): Model => new Model();

export const sigmoid = (x: number) => 1 / (1 + Math.exp(-x));

/** Expected probability under a belief (MacKay, 1992: the logistic averaged over a Gaussian). */
export function probability({ mean, variance }: Belief): number {
  return sigmoid(mean / Math.sqrt(1 + (Math.PI * variance) / 8));
}

/**
 * The mean of the log-odds for which the expected probability of a content without outcomes is `prior`, averaged over the
 * uncertainty. The inverse of `probability`.
 */
export function originOf(prior: number, variance: number): number {
  const p = Math.min(Math.max(prior, 0.001), 0.999);
  return Math.log(p / (1 - p)) * Math.sqrt(1 + (Math.PI * variance) / 8);
}

export function priorVariance({ bias, weight }: Spread, rows: readonly Row[]): number {
  let variance = 0;
  for (const { row, value } of rows) variance += value * value * (row === 0 ? bias : weight);
  return variance;
}

export const pairKey = (user: string, contentId: string, life: number) =>
  hash32(`${user}\n${contentId}\n${life}`) * 2097152 + (hash32(`${contentId}\n${user}`) >>> 11);

/** A content's block at its prior; `origin` is the mean of its bias. */
export const ownBlock = (origin: number) => new Block(OWN, origin);

/** A category's block at its prior. */
export const sharedBlock = () => new Block(SHARED_IN_ALL, 0);

export const fresh = (origin: number, life: number): Known => ({
  block: ownBlock(origin),
  seen: 0,
  life,
  rewards: 0,
  responses: 0,
});
