import type { Belief, Rows } from './block.ts';
import type { FeatureTable } from './feature-table.ts';
import type { Feature } from './features.ts';
import {
  COPIES,
  type Hash,
  hashOf,
  type Known,
  type Model,
  OWN,
  originOf,
  pairKey,
  priorVariance,
  SHARED,
} from './model.ts';

/** The estimate of a model for one content in one decision. */
export interface Score {
  readonly category: string;
  readonly shared: Belief;
  readonly own: Belief;
  /** Expected value of a response, between 0 and 1. */
  readonly worth: number;
}

/** A reader of a model for one decision: features are looked up once, and each category is evaluated once. */
export class Reader {
  readonly rows: Rows;
  readonly copy: number;
  readonly #model: Model;
  readonly #user: Hash | null;
  readonly #table: FeatureTable;
  readonly #taste: number;
  readonly #shared = new Map<string, Belief>();
  /** What is believed of a category, and of a content's own part, that was never met. */
  readonly #unmetShared: Belief;
  readonly #unmetOwn: number;
  readonly #unmet = new Map<string, Map<number, Score>>();

  constructor(model: Model, features: readonly Feature[], user: string | null, copy = model.best) {
    this.#model = model;
    this.#user = user === null ? null : hashOf(user);
    this.copy = copy;
    const { view, taste } = COPIES[copy]!;
    this.#table = model.tables[view]!;
    this.#taste = user === null ? 0 : taste;
    this.rows = this.#table.find(features, model.mostRows);
    this.#unmetShared = { mean: 0, variance: priorVariance(SHARED, this.rows) };
    this.#unmetOwn = priorVariance(OWN, this.rows) + this.#taste;
  }

  /** Contents of one category of which nothing is known but one prior have the same score: one object. */
  score(contentId: string, category: string, prior: number): Score {
    const { copy } = this;
    const known = this.#model.contents.get(contentId);
    if (!known) return this.#ofUnmet(category, prior);
    const shared = this.#ofCategory(category);
    const worth = worthOf(this.#model, known);
    let { mean, variance } = known.blocks[copy]!.believe(this.rows);
    if (this.#user !== null) {
      const pair = this.#model.personal.find(pairKey(this.#user, known.hash));
      mean += pair?.mean[copy] ?? 0;
      variance += pair?.variance[copy] ?? this.#taste;
    }
    return { category, shared, own: { mean, variance }, worth };
  }

  /** The effect of a feature on the log-odds of a content. */
  weight(contentId: string, category: string, feature: Feature): number {
    const row = this.#table.rows.get(feature.key);
    const known = this.#model.contents.get(contentId);
    if (row === undefined || !known) return 0;
    const shared = this.#model.categories.get(category);
    const parts = [known.blocks, ...(shared ? [shared] : [])];
    return feature.value * parts.reduce((sum, blocks) => sum + blocks[this.copy]!.weight(row), 0);
  }

  #ofCategory(category: string): Belief {
    let belief = this.#shared.get(category);
    if (!belief) {
      const blocks = this.#model.categories.get(category);
      belief = blocks ? blocks[this.copy]!.believe(this.rows) : this.#unmetShared;
      this.#shared.set(category, belief);
    }
    return belief;
  }

  #ofUnmet(category: string, prior: number): Score {
    let scores = this.#unmet.get(category);
    if (!scores) {
      scores = new Map();
      this.#unmet.set(category, scores);
    }
    let score = scores.get(prior);
    if (!score) {
      const mean = originOf(prior, this.#unmetOwn + this.#unmetShared.variance);
      const own = { mean, variance: this.#unmetOwn };
      score = { category, shared: this.#ofCategory(category), own, worth: worthOf(this.#model, undefined) };
      scores.set(prior, score);
    }
    return score;
  }
}

/** Value of a response: the ratio of the content, shrunk to that of all contents if it has few responses. */
function worthOf(model: Model, known: Known | undefined): number {
  const all = model.rewards / model.responses;
  if (!known) return Math.min(1, all);
  return Math.min(1, (known.rewards + 4 * all) / (known.responses + 4));
}
