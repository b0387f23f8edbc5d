import { scaleOf } from '../../catalog/attributes.ts';
import type { Content } from '../../catalog/content.ts';
import type { Belief, Block, Rows } from './block.ts';
import type { FeatureTable } from './feature-table.ts';
import type { Feature } from './features.ts';
import {
  attributesVariance,
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
  /** The part of the content, its attributes and the user. */
  readonly own: Belief;
  /** What the user's preference adds to the variance of `own`. */
  readonly userVariance: number;
  /** Expected value of a response, between 0 and 1. */
  readonly responseValue: number;
}

/** What a score depends on beside the decision. */
type Scored = Pick<Content, 'contentId' | 'category' | 'attributes' | 'prior'>;

/** A reader of a model for one decision: features are looked up once, and each category and attribute is evaluated once. */
export class Reader {
  readonly rows: Rows;
  readonly copy: number;
  readonly #model: Model;
  readonly #user: Hash | null;
  readonly #table: FeatureTable;
  readonly #userVariance: number;
  readonly #shared = new Map<string, Belief>();
  readonly #attributes = new Map<number, Belief>();
  /** What is believed of a category, and of a content's own part, that was never met. */
  readonly #unmetShared: Belief;
  readonly #unmetOwn: number;
  readonly #unmet = new Map<string, Map<number | string, Score>>();

  constructor(model: Model, features: readonly Feature[], user: string | null, copy = model.best) {
    this.#model = model;
    this.#user = user === null ? null : hashOf(user);
    this.copy = copy;
    const { view, userVariance } = COPIES[copy]!;
    this.#table = model.tables[view]!;
    this.#userVariance = user === null ? 0 : userVariance;
    this.rows = this.#table.find(features, model.mostRows);
    this.#unmetShared = { mean: 0, variance: priorVariance(SHARED, this.rows) };
    this.#unmetOwn = priorVariance(OWN, this.rows) + this.#userVariance;
  }

  /** Contents of one category of which nothing is known but equal attributes and priors have the same score: one object. */
  score({ contentId, category, attributes, prior }: Scored): Score {
    const { copy } = this;
    const known = this.#model.contents.get(contentId);
    if (!known) return this.#ofUnmet(category, attributes, prior);
    const shared = this.#ofCategory(category);
    const responseValue = responseValueOf(this.#model, known);
    const { mean, variance } = known.blocks[copy]!.believe(this.rows);
    const pair = this.#user === null ? undefined : this.#model.personal.find(pairKey(this.#user, known.hash));
    const userVariance = pair?.variance[copy] ?? this.#userVariance;
    const own = { mean: mean + (pair?.mean[copy] ?? 0), variance: variance + userVariance };
    return { category, shared, own: this.#withAttributes(own, attributes), userVariance, responseValue };
  }

  /** The effect of a feature on the log-odds of a content. */
  weight({ contentId, category, attributes }: Scored, feature: Feature): number {
    const model = this.#model;
    const row = this.#table.rows.get(feature.key);
    const known = model.contents.get(contentId);
    if (row === undefined || !known) return 0;
    const of = (blocks: readonly Block[] | undefined) => blocks?.[this.copy]?.weight(row) ?? 0;
    const shared = attributes.reduce((sum, attribute) => sum + of(model.attributes.get(attribute)), 0);
    const scale = scaleOf(attributes.length);
    return feature.value * (of(known.blocks) + of(model.categories.get(category)) + scale * shared);
  }

  /** Adds what is believed of attributes. */
  #withAttributes(own: Belief, attributes: readonly number[]): Belief {
    if (attributes.length === 0) return own;
    const scale = scaleOf(attributes.length);
    let { mean, variance } = own;
    for (const attribute of attributes) {
      const belief = this.#ofAttribute(attribute);
      mean += scale * belief.mean;
      variance += scale * scale * belief.variance;
    }
    return { mean, variance };
  }

  #ofAttribute(attribute: number): Belief {
    let belief = this.#attributes.get(attribute);
    if (!belief) {
      const blocks = this.#model.attributes.get(attribute);
      belief = blocks
        ? blocks[this.copy]!.believe(this.rows)
        : { mean: 0, variance: attributesVariance(1, this.rows) };
      this.#attributes.set(attribute, belief);
    }
    return belief;
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

  #ofUnmet(category: string, attributes: readonly number[], prior: number): Score {
    let scores = this.#unmet.get(category);
    if (!scores) {
      scores = new Map();
      this.#unmet.set(category, scores);
    }
    const key = attributes.length === 0 ? prior : `${prior} ${attributes}`;
    let score = scores.get(key);
    if (!score) {
      const unmet = this.#unmetOwn + attributesVariance(attributes.length, this.rows);
      const mean = originOf(prior, unmet + this.#unmetShared.variance);
      const own = this.#withAttributes({ mean, variance: this.#unmetOwn }, attributes);
      const responseValue = responseValueOf(this.#model, undefined);
      score = {
        category,
        shared: this.#ofCategory(category),
        own,
        userVariance: this.#userVariance,
        responseValue,
      };
      scores.set(key, score);
    }
    return score;
  }
}

/** Value of a response: the ratio of the content, shrunk to that of all contents if it has few responses. */
function responseValueOf(model: Model, known: Known | undefined): number {
  const all = model.rewards / model.responses;
  if (!known) return Math.min(1, all);
  return Math.min(1, (known.rewards + 4 * all) / (known.responses + 4));
}
