/** What the engine is measured against, on the same worlds in the same run. */
import { seededRandom } from '../../src/kit/random.ts';
import type { Player } from './run.ts';
import type { Visit } from './worlds.ts';

export function uniform(seed: string): Player {
  const random = seededRandom(`${seed}:uniform`);
  return {
    decide: (t, _, contents) => ({ content: Math.floor(random() * contents(t).length) }),
    click: () => undefined,
  };
}

/** Thompson sampling over one Beta(1, 9) a content, blind to everything. Given every reward at once. */
export function contextFree(seed: string): Player {
  const random = seededRandom(`${seed}:thompson`);
  const won = new Map<number, number>();
  const lost = new Map<number, number>();
  const chosen: number[] = [];
  const count = (into: Map<number, number>, t: number) =>
    into.set(chosen[t]!, (into.get(chosen[t]!) ?? 0) + 1);
  return {
    omniscient: true,
    decide(t, _, contents) {
      let best = 0;
      let highest = -1;
      for (let i = 0; i < contents(t).length; i++) {
        const draw = beta(random, 1 + (won.get(i) ?? 0), 9 + (lost.get(i) ?? 0));
        if (draw > highest) {
          highest = draw;
          best = i;
        }
      }
      chosen[t] = best;
      return { content: best };
    },
    click: (_, of) => void count(won, of),
    silent: (_, of) => void count(lost, of),
  };
}

/**
 * Hybrid LinUCB (Li et al., 2010, algorithm 2) with α 0.3: own weights for each content, and weights shared by all
 * over user features × category. Given every reward at once. Inverses are kept by rank-one updates; the cross terms
 * of the shared part are left out (the two parts are treated as independent), which keeps 500 contents feasible.
 */
export function hybridLinUcb(): Player {
  const ALPHA = 0.3;
  const columns = new Map<string, number>();
  const blocks = new Map<string, Ridge>();
  const block = (name: string) => {
    let found = blocks.get(name);
    if (!found) {
      found = new Ridge();
      blocks.set(name, found);
    }
    return found;
  };
  const featuresOf = (visit: Visit) =>
    [
      'bias',
      ...Object.entries({ ...visit.context, ...visit.traits }).map(([k, v]) => `${k}=${v}`),
      ...Object.keys(visit.events),
    ].map((name) => {
      if (!columns.has(name)) columns.set(name, columns.size);
      return columns.get(name)!;
    });
  const made: { own: Ridge; shared: Ridge; x: number[] }[] = [];
  const reward = (t: number, value: number) => {
    const { own, shared, x } = made[t]!;
    const rest = value - shared.mean(x);
    shared.learn(x, value - own.mean(x));
    own.learn(x, rest);
  };
  return {
    omniscient: true,
    decide(t, visit, contents) {
      const x = featuresOf(visit);
      let best = 0;
      let highest = Number.NEGATIVE_INFINITY;
      const offered = contents(t);
      const bounds = new Map<string, { mean: number; variance: number }>();
      for (const [i, { contentId, category }] of offered.entries()) {
        let shared = bounds.get(category);
        if (!shared) {
          shared = { mean: block(category).mean(x), variance: block(category).variance(x) };
          bounds.set(category, shared);
        }
        const own = block(contentId);
        const value = shared.mean + own.mean(x) + ALPHA * Math.sqrt(shared.variance + own.variance(x));
        if (value > highest) {
          highest = value;
          best = i;
        }
      }
      const { contentId, category } = offered[best]!;
      made[t] = { own: block(contentId), shared: block(category), x };
      return { content: best };
    },
    click: (_, of) => reward(of, 1),
    silent: (_, of) => reward(of, 0),
  };
}

/** Ridge regression over binary features, its inverse kept up to date (Sherman & Morrison, 1950). */
class Ridge {
  #size = 0;
  #inverse: Float64Array[] = [];
  #b: number[] = [];
  #weights: number[] = [];

  mean(x: readonly number[]): number {
    let sum = 0;
    for (const i of x) sum += this.#weights[i] ?? 0;
    return sum;
  }

  variance(x: readonly number[]): number {
    let sum = 0;
    for (const i of x)
      if (i >= this.#size) sum += 1;
      else for (const j of x) if (j < this.#size) sum += this.#inverse[i]![j]!;
    return sum;
  }

  learn(x: readonly number[], value: number): void {
    this.#grow(Math.max(...x) + 1);
    const direction = new Float64Array(this.#size);
    for (let i = 0; i < this.#size; i++) for (const j of x) direction[i]! += this.#inverse[i]![j]!;
    let variance = 0;
    for (const i of x) variance += direction[i]!;
    const error = value - this.mean(x);
    for (let i = 0; i < this.#size; i++) {
      this.#weights[i]! += (error * direction[i]!) / (1 + variance);
      const factor = direction[i]! / (1 + variance);
      const row = this.#inverse[i]!;
      for (let j = 0; j < this.#size; j++) row[j]! -= factor * direction[j]!;
    }
    for (const i of x) this.#b[i]! += value;
  }

  #grow(size: number): void {
    if (size <= this.#size) return;
    const old = this.#inverse;
    this.#inverse = Array.from({ length: size }, (_, i) => {
      const row = new Float64Array(size);
      if (old[i]) row.set(old[i]);
      else row[i] = 1;
      return row;
    });
    while (this.#b.length < size) {
      this.#b.push(0);
      this.#weights.push(0);
    }
    this.#size = size;
  }
}

function beta(random: () => number, a: number, b: number): number {
  const x = gamma(random, a);
  return x / (x + gamma(random, b));
}

/** Marsaglia & Tsang (2000), for shapes from 1 on. */
function gamma(random: () => number, shape: number): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const v = (1 + c * normal) ** 3;
    if (v > 0 && Math.log(1 - random()) < 0.5 * normal * normal + d - d * v + d * Math.log(v)) return d * v;
  }
}
