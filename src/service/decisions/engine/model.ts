import { hash32, mix } from '../../../kit/hash32.ts';
import { scaleOf } from '../../catalog/attributes.ts';
import { type Belief, Block, type Rows, type Spread, triangle } from './block.ts';
import { ChangeDetector } from './change.ts';
import { Delays } from './delays.ts';
import { FeatureTable, MAX_FEATURES } from './feature-table.ts';
import { type Feature, KINDS } from './features.ts';
import { Personal } from './personal.ts';

/**
 * Prior variances in a category's block, in that of an attribute, and in a content's: how far it deviates from what it
 * shares with others.
 */
export const SHARED: Spread = { bias: 0.5, weight: 0.25 };
const ATTRIBUTE: Spread = { bias: 0.2, weight: 0.1 };
export const OWN: Spread = { bias: 0.35, weight: 0.12 };

/** Prior variance of personal preference, in the copies that have it. */
const USER_VARIANCE = 2;

/** Every set of kinds of features, as bits: the table of a set gives rows to features of these kinds only. */
export const VIEWS = Array.from({ length: 2 ** KINDS.length }, (_, view) => view);

/**
 * The assumptions of each copy of the model: which kinds of features matter at all, and the variance of personal
 * preference. All learn from every outcome, and the best predictor decides: features that do not matter are not explored.
 */
export const COPIES: readonly { readonly view: number; readonly userVariance: number }[] = [
  0,
  USER_VARIANCE,
].flatMap((userVariance) => VIEWS.map((view) => ({ view, userVariance })));
/** The default copy has every kind of feature. */
export const DEFAULT_COPY = VIEWS.length - 1;
/** The margin (log-likelihood) by which another copy must predict better. */
const MARGIN = 4;

/** Covariances, of four bytes, that blocks may take together; with many contents each has fewer rows. */
const MAX_NUMBERS = 5_500_000;

/** The learned state of one content. */
export interface Known {
  /** One for each copy. */
  readonly blocks: readonly Block[];
  readonly hash: Hash;
  /** Decisions folded in. */
  seen: number;
  /** The number of times that the content was returned to its prior. */
  readonly epoch: number;
  /** Sum of rewards and number of responses: their ratio is the value of a response. */
  rewards: number;
  responses: number;
}

/** One decision for the learner. */
export interface Example {
  readonly decision: number;
  readonly contentId: string;
  readonly category: string;
  /** Hashes of the format and tags that the content shares with others. */
  readonly attributes: readonly number[];
  readonly prior: number;
  readonly features: readonly Feature[];
  /** Null if the user is unknown. */
  readonly user: string | null;
  /** Unix ms of the entry. */
  readonly at: number;
}

/** A decision that does not count yet, and what it earned so far. */
export interface Waiting extends Example {
  /** Number of the decision in the model's own count. */
  readonly nth: number;
  readonly reward: number;
}

/** The state of the model after an entry of the reward log. */
export class Model {
  /** The last entry of the reward log that is folded in. */
  version = 0;
  /** Rows of features, for each view. */
  readonly tables: readonly FeatureTable[] = VIEWS.map((view) => new FeatureTable(view));
  /** One block for each copy. */
  readonly categories = new Map<string, readonly Block[]>();
  /** By hash, the least recently met one first. */
  readonly attributes = new Map<number, readonly Block[]>();
  readonly contents = new Map<string, Known>();
  readonly personal = new Personal(COPIES.map(({ userVariance }) => userVariance));
  readonly change = new ChangeDetector();
  /** Decisions whose response or silence does not count yet, the oldest first. */
  readonly pending = new Map<number, Waiting>();
  /** Discounted log-likelihood of each copy's predictions. */
  readonly evidence = new Float64Array(COPIES.length);
  /** How long responses took. */
  readonly delays = new Delays();
  /** Decisions met, those that wait included. */
  decisions = 0;
  /** Over all contents; so that one without responses is not favored. */
  rewards = 1;
  responses = 1;
  /** Most rows of a block, as last limited. */
  mostRows = MAX_FEATURES;

  /** Memory that it takes, about, in numbers of eight bytes. */
  get size(): number {
    let size = 1024;
    for (const blocks of this.everyBlocks()) for (const block of blocks) size += block.size + 16;
    return size + 50 * this.personal.pairs.size + 64 * this.change.recent.size + 300 * this.pending.size;
  }

  /** The blocks of each category, attribute and content. */
  *everyBlocks(): Generator<readonly Block[]> {
    yield* this.categories.values();
    yield* this.attributes.values();
    for (const { blocks } of this.contents.values()) yield blocks;
  }

  /** The features of a decision as each view sees them. */
  rowsOf(features: readonly Feature[]): Rows[] {
    return this.tables.map((table) => table.find(features, this.mostRows));
  }

  /** Keeps the blocks within their memory: the more blocks and features there are, the fewer rows has each. */
  limitRows(): void {
    const blocks = this.contents.size + this.categories.size + this.attributes.size;
    const fits = (most: number) => {
      let numbers = 0;
      for (const { view } of COPIES) numbers += triangle(Math.min(most, this.tables[view]!.rows.size));
      return blocks * numbers <= MAX_NUMBERS;
    };
    let most = MAX_FEATURES;
    while (most > 1 && !fits(most)) most--;
    if (most < this.mostRows)
      for (const each of this.everyBlocks()) for (const block of each) block.truncate(most);
    this.mostRows = most;
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
  const { view, userVariance } = COPIES[copy]!;
  const rows = views[view]!;
  return (
    priorVariance(SHARED, rows) +
    priorVariance(OWN, rows) +
    userVariance +
    attributesVariance(attributes, rows)
  );
}

/** Two independent hashes of a text, 64 bits in all. */
export type Hash = readonly [number, number];

export const hashOf = (text: string): Hash => [hash32(text), hash32(`second\n${text}`)];

/** What identifies a user and a content together: 53 bits, of which each pair has its own. */
export const pairKey = (user: Hash, content: Hash) =>
  mix(user[0] ^ content[0]) * 2097152 + (mix(user[1] ^ content[1]) >>> 11);

/** The hash of a content in one epoch: what users think of it is forgotten with the rest. */
export const contentHash = (contentId: string, epoch: number) => hashOf(`${contentId}\n${epoch}`);

/** A category's blocks at their priors. */
export const sharedBlocks = (): Block[] => COPIES.map(() => new Block(SHARED, 0));

/** An attribute's blocks at their priors. */
export const attributeBlocks = (): Block[] => COPIES.map(() => new Block(ATTRIBUTE, 0));

/** A content's blocks at their priors; `origins` are the means of the biases. */
export const ownBlocks = (origins: readonly number[]): Block[] =>
  COPIES.map((_, copy) => new Block(OWN, origins[copy]!));

/** A content at its prior, given the origins of its blocks. */
export const fresh = (contentId: string, origins: readonly number[], epoch: number): Known => ({
  blocks: ownBlocks(origins),
  hash: contentHash(contentId, epoch),
  seen: 0,
  epoch,
  rewards: 0,
  responses: 0,
});
