import { COPIES, DEFAULT_COPY } from './copies.ts';

/** What a decision tells of an expert's predictions lasts for about 1 / (1 - MEMORY) decisions. */
const MEMORY = 0.999;
/** The margin (log-likelihood) by which another copy must predict better than the default one. */
const MARGIN = 4;
/** The advance of the linear experts, which fades like all evidence: where features matter much, every early decision counts. */
const ADVANCE = 20;
/** The share of what the best copy explains that the linear experts need to explain. */
const ENOUGH = 0.6;
/** The copy without features. */
const WITHOUT_FEATURES = 0;
/** The place of the linear experts' predictions, after those of the copies. */
export const LINEAR = COPIES.length;
export const EXPERTS = COPIES.length + 1;

/**
 * The discounted log-likelihood of each expert's predictions, made before the response was known (Dawid, 1984: the
 * prequential approach). The one with the best recent predictions decides, so that features that do not matter are not explored.
 */
export class Evidence {
  readonly sums = new Float64Array(EXPERTS);

  constructor() {
    this.reset();
  }

  /** Starts again. */
  reset(): void {
    this.sums.fill(0);
    this.sums[LINEAR] = ADVANCE;
  }

  /** Takes in the response of a decision. */
  add(predicted: Float64Array, response: number): void {
    for (let i = 0; i < EXPERTS; i++)
      this.sums[i] = MEMORY * this.sums[i]! + logLikelihood(predicted[i]!, response);
  }

  /** Corrects a response of `decisionsAgo` decisions before. */
  correct(predicted: Float64Array, from: number, to: number, decisionsAgo: number): void {
    const discount = MEMORY ** Math.max(decisionsAgo, 0);
    for (let i = 0; i < EXPERTS; i++)
      this.sums[i]! += discount * (logLikelihood(predicted[i]!, to) - logLikelihood(predicted[i]!, from));
  }

  /** The best copy. An overconfident copy shows what it knows and predicts that well, so the default one has a margin. */
  get copy(): number {
    let best = DEFAULT_COPY;
    let highest = this.sums[DEFAULT_COPY]! + MARGIN;
    for (let copy = 0; copy < COPIES.length; copy++) {
      if (this.sums[copy]! <= highest) continue;
      best = copy;
      highest = this.sums[copy]!;
    }
    return best;
  }

  /**
   * Whether the linear experts decide. A straight line ranks contents better than it predicts, so it needs to explain only most of
   * what the best copy explains beyond a copy without features; but the preferences of users are not in it at all.
   */
  get isLinear(): boolean {
    const linear = this.sums[LINEAR]!;
    const without = this.sums[WITHOUT_FEATURES]!;
    let best = without;
    for (const [copy, { personal }] of COPIES.entries()) {
      if (personal && linear <= this.sums[copy]!) return false;
      if (!personal) best = Math.max(best, this.sums[copy]!);
    }
    return linear - without > ENOUGH * (best - without);
  }
}

/** All predictions are kept this far from 0 and 1: by how much a sure one is even surer does not matter to a choice. */
const BOUND = 0.02;

function logLikelihood(predicted: number, response: number): number {
  const p = Math.min(Math.max(predicted, BOUND), 1 - BOUND);
  return response * Math.log(p) + (1 - response) * Math.log(1 - p);
}
