import type { Belief, Row, Spread } from './block.ts';
import type { Feature } from './features.ts';
import { type Known, type Model, OWN, originOf, pairKey, priorVariance, SHARED, TASTES } from './model.ts';

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
  readonly rows: readonly Row[];
  readonly copy: number;
  readonly #model: Model;
  readonly #user: string | null;
  readonly #shared = new Map<string, Belief>();

  constructor(model: Model, features: readonly Feature[], user: string | null, copy = model.best) {
    this.#model = model;
    this.#user = user;
    this.copy = copy;
    this.rows = model.features.find(features);
  }

  score(contentId: string, category: string, prior: number): Score {
    const { copy } = this;
    const known = this.#model.contents.get(contentId);
    const shared = this.#ofCategory(category);
    const worth = worthOf(this.#model, known);
    if (!known) {
      const variance = this.#unmet(OWN[copy]!) + (this.#user === null ? 0 : TASTES[copy]!);
      const mean = originOf(prior, variance + this.#unmet(SHARED));
      return { category, shared, own: { mean, variance }, worth };
    }
    const own = known.block.believe(copy, this.rows);
    let { mean, variance } = own;
    if (this.#user !== null) {
      const pair = this.#model.personal.find(pairKey(this.#user, contentId, known.life));
      mean += pair?.mean[copy] ?? 0;
      variance += pair?.variance[copy] ?? TASTES[copy]!;
    }
    return { category, shared, own: { mean, variance }, worth };
  }

  /** The effect of a feature on the log-odds of a content. */
  weight(contentId: string, category: string, feature: Feature): number {
    const row = this.#model.features.rows.get(feature.key);
    const known = this.#model.contents.get(contentId);
    if (row === undefined || !known) return 0;
    const shared = this.#model.categories.get(category)?.weight(this.copy, row) ?? 0;
    return feature.value * (shared + known.block.weight(this.copy, row));
  }

  #ofCategory(category: string): Belief {
    let belief = this.#shared.get(category);
    if (!belief) {
      const block = this.#model.categories.get(category);
      belief = block ? block.believe(this.copy, this.rows) : { mean: 0, variance: this.#unmet(SHARED) };
      this.#shared.set(category, belief);
    }
    return belief;
  }

  #unmet(spread: Spread): number {
    return priorVariance(spread, this.rows);
  }
}

/** Value of a response: the ratio of the content, shrunk to that of all contents if it has few responses. */
function worthOf(model: Model, known: Known | undefined): number {
  const all = model.rewards / model.responses;
  if (!known) return Math.min(1, all);
  return Math.min(1, (known.rewards + 4 * all) / (known.responses + 4));
}
