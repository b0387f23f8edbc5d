import { COPIES, DEFAULT_COPY } from './copies.ts';

/** What a decision tells of an expert's predictions lasts for about 1 / (1 - MEMORY) decisions. */
export const MEMORY = 0.999;
/** The margin (log-likelihood) by which another copy must predict better than the default one. */
const MARGIN = 4;
/** The advance of the linear experts, which fades like all evidence: where features matter much, every early decision counts. */
const ADVANCE = 20;
/** The place of the linear experts' predictions, after those of the copies. */
export const LINEAR = COPIES.length;
export const EXPERTS = LINEAR + 1;
/** Of a decision all these are kept: what the experts predicted, and the linear ones before their calibration. */
export const UNCALIBRATED = LINEAR + 1;
export const PREDICTIONS = EXPERTS + 1;

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
    const discount = MEMORY ** decisionsAgo;
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

  /** Whether the linear experts decide: they predict better than every copy. */
  get isLinear(): boolean {
    return this.sums.every((sum, i) => i === LINEAR || sum < this.sums[LINEAR]!);
  }
}

/** All predictions are kept this far from 0 and 1: by how much a sure one is even surer does not matter to a choice. */
export const BOUND = 0.02;

/** A prediction within the bounds; that of a straight line may leave the range of a probability. */
export const bounded = (predicted: number): number => Math.min(Math.max(predicted, BOUND), 1 - BOUND);

function logLikelihood(predicted: number, response: number): number {
  const p = bounded(predicted);
  return response * Math.log(p) + (1 - response) * Math.log(1 - p);
}
