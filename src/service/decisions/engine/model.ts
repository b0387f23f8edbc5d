import { hash32, mix } from '../../../kit/hash32.ts';
import { type Block, type Rows, triangle } from './block.ts';
import { ChangeDetector } from './change.ts';
import { COPIES, MAX_COPY_ROWS, ownBlocks, VIEWS, Views } from './copies.ts';
import { PartDelays } from './delays.ts';
import { Encoding, MAX_ROWS } from './encoding.ts';
import { Evidence } from './evidence.ts';
import type { Comparison } from './explain.ts';
import type { Feature } from './features.ts';
import { Calibration, linearBlock } from './linear.ts';
import { SAMPLE } from './numbers.ts';
import { Personal } from './personal.ts';

/**
 * Covariances, of four bytes, that the blocks of all copies may take together, and those of the linear experts: with many
 * contents each has fewer rows.
 */
const MAX_COPY_NUMBERS = 2_000_000;
const MAX_LINEAR_NUMBERS = 4_000_000;

/** Rows are limited in steps: cutting all blocks takes a while. */
const STEP = 4;

/** The learned state of one content. */
export interface Known {
  /** One for each copy. */
  readonly blocks: readonly Block[];
  linear: Block;
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
export interface Waiting extends Omit<Example, 'features'> {
  readonly compact: Float64Array;
  /** Number of the decision in the model's own count. */
  readonly nth: number;
  readonly reward: number;
}

/** The state of the model after an entry of the reward log. */
export class Model {
  /** The last entry of the reward log that is folded in. */
  version = 0;
  readonly views = new Views();
  readonly encoding = new Encoding();
  /** One block for each copy. */
  readonly categories = new Map<string, readonly Block[]>();
  /** By hash, the least recently met one first. */
  readonly attributes = new Map<number, readonly Block[]>();
  readonly contents = new Map<string, Known>();
  readonly personal = new Personal();
  readonly change = new ChangeDetector();
  readonly evidence = new Evidence();
  readonly calibration = new Calibration();
  /** Decisions whose response or silence does not count yet, the oldest first. */
  readonly pending = new Map<number, Waiting>();
  /** How long responses took, by part of the reward. */
  readonly delays = new PartDelays();
  /** Decisions met, those that wait included. */
  decisions = 0;
  /** Over all contents; so that one without responses is not favored. */
  rewards = 1;
  responses = 1;
  /** The recent mean response. */
  rate = 0;
  /** Most rows of a copy's block, and of a linear one, as last limited. */
  copyRows = MAX_COPY_ROWS;
  linearRows = MAX_ROWS;

  /** Memory that it takes, about, in numbers of eight bytes. */
  get size(): number {
    let size = 4096 + 2 * SAMPLE * this.encoding.numbers.known.size;
    for (const blocks of this.everyBlocks()) for (const block of blocks) size += block.size + 16;
    for (const { linear } of this.contents.values()) size += linear.size + 16;
    for (const { compact } of this.pending.values()) size += compact.length + 48;
    return size + 16 * this.personal.pairs.size + 40 * this.change.recent.size;
  }

  /** The blocks of the copies, of each category, attribute and content. */
  *everyBlocks(): Generator<readonly Block[]> {
    yield* this.categories.values();
    yield* this.attributes.values();
    for (const { blocks } of this.contents.values()) yield blocks;
  }

  /** The features of a decision as each view sees them. */
  rowsOf(features: readonly Feature[]): Rows[] {
    return this.views.find([...VIEWS.keys()], features, this.copyRows);
  }

  /** The vector of a decision for the linear experts. */
  encode(features: readonly Feature[]): Rows {
    return this.encoding.encode(features, this.linearRows, this.contents.size);
  }

  /** Compares two contents by the difference of the weights of their linear experts (see {@link Encoding.compare}). */
  compare(
    features: readonly Feature[],
    weight: (row: number) => number,
    lead: number,
  ): Omit<Comparison, 'isAhead' | 'preference'> {
    return this.encoding.compare(features, this.linearRows, this.contents.size, weight, lead);
  }

  /** Keeps the blocks within their memory: the more blocks and features there are, the fewer rows has each. */
  limitRows(): void {
    const blocks = this.contents.size + this.categories.size + this.attributes.size;
    const fits = (most: number) => {
      let numbers = 0;
      for (const { view } of COPIES) numbers += triangle(Math.min(most, this.views.tables[view]!.rows.size));
      return blocks * numbers <= MAX_COPY_NUMBERS;
    };
    let most = MAX_COPY_ROWS;
    while (most > 1 && !fits(most)) most = most > STEP ? most - STEP : most - 1;
    if (most < this.copyRows)
      for (const each of this.everyBlocks()) for (const block of each) block.truncate(most);
    this.copyRows = most;
    const fitting = Math.sqrt((2 * MAX_LINEAR_NUMBERS) / this.contents.size);
    const linear = Math.min(MAX_ROWS, STEP * Math.floor(fitting / STEP));
    if (linear < this.linearRows) for (const known of this.contents.values()) known.linear.truncate(linear);
    this.linearRows = linear;
  }
}

export const emptyModel = (): Model => new Model();

/** Two independent hashes of a text, 64 bits in all. */
export type Hash = readonly [number, number];

export const hashOf = (text: string): Hash => [hash32(text), hash32(`second\n${text}`)];

/** What identifies a user and a content together: 53 bits, of which each pair has its own. */
export const pairKey = (user: Hash, content: Hash) =>
  mix(user[0] ^ content[0]) * 2097152 + (mix(user[1] ^ content[1]) >>> 11);

/** The hash of a content in one epoch: what users think of it is forgotten with the rest. */
export const contentHash = (contentId: string, epoch: number) => hashOf(`${contentId}\n${epoch}`);

/** A content at its prior, given the origins of its blocks. */
export const fresh = (
  contentId: string,
  origins: readonly number[],
  prior: number,
  epoch: number,
): Known => ({
  blocks: ownBlocks(origins),
  linear: linearBlock(prior),
  hash: contentHash(contentId, epoch),
  seen: 0,
  epoch,
  rewards: 0,
  responses: 0,
});

/** Value of a response: the ratio of the content, shrunk to that of all contents if it has few responses. */
export function responseValueOf(model: Model, known: Known | undefined): number {
  const all = model.rewards / model.responses;
  if (!known) return Math.min(1, all);
  return Math.min(1, (known.rewards + 4 * all) / (known.responses + 4));
}
