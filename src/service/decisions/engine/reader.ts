import { scaleOf } from '../../catalog/attributes.ts';
import type { Content } from '../../catalog/content.ts';
import type { Belief, Block, Rows } from './block.ts';
import { attributesVariance, COPIES, OWN, originOf, priorVariance, SHARED, USER_VARIANCE } from './copies.ts';
import { type Feature, magnitudeKey } from './features.ts';
import { type Hash, hashOf, type Model, pairKey, responseValueOf } from './model.ts';
import type { Pair } from './personal.ts';
import type { RowTable } from './row-table.ts';

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
  readonly #table: RowTable;
  readonly #userVariance: number;
  readonly #shared = new Map<string, Belief>();
  readonly #attributes = new Map<number, Belief>();
  /** What is believed of a category, and of a content's own part, that was never met. */
  readonly #unmetShared: Belief;
  readonly #unmetOwn: number;
  readonly #unmet = new Map<string, Map<number | string, Score>>();

  constructor(model: Model, features: readonly Feature[], user: string | null, copy = model.evidence.copy) {
    this.#model = model;
    this.#user = user === null ? null : hashOf(user);
    this.copy = copy;
    const { view, personal } = COPIES[copy]!;
    this.#table = model.views.tables[view]!;
    this.#userVariance = user !== null && personal ? USER_VARIANCE : 0;
    [this.rows] = model.views.find([view], features, model.copyRows) as [Rows];
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
    const pair = this.pair(contentId);
    const userVariance = pair?.variance ?? this.#userVariance;
    const own = { mean: mean + (pair?.mean ?? 0), variance: variance + userVariance };
    return { category, shared, own: this.#withAttributes(own, attributes), userVariance, responseValue };
  }

  /** The user's preference for a content, on its log-odds; undefined where none is known. */
  pair(contentId: string): Pair | undefined {
    const known = this.#model.contents.get(contentId);
    if (!known || this.#user === null || !COPIES[this.copy]!.personal) return undefined;
    return this.#model.personal.find(pairKey(this.#user, known.hash));
  }

  /** The effect of a feature on the log-odds of a content. */
  weight({ contentId, category, attributes }: Scored, feature: Feature): number {
    const model = this.#model;
    const row = this.#table.rows.get(magnitudeKey(feature));
    const at = row === undefined ? -1 : this.rows.rows.indexOf(row);
    const known = model.contents.get(contentId);
    if (at < 0 || !known) return 0;
    const of = (blocks: readonly Block[] | undefined) => blocks?.[this.copy]?.weight(row!) ?? 0;
    const shared = attributes.reduce((sum, attribute) => sum + of(model.attributes.get(attribute)), 0);
    const scale = scaleOf(attributes.length);
    const value = this.rows.values[at]!;
    return value * (of(known.blocks) + of(model.categories.get(category)) + scale * shared);
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
