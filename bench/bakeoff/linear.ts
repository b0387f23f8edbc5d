/** The linear bandits beside the engine, on standardised numbers and one column for each text. */
import { seededRandom } from '../../src/kit/random.ts';
import type { Player } from '../field/run.ts';
import type { DataSet } from './data-set.ts';

/** Turns a row into a vector; mean and deviation of the numbers are those of the whole set, which is given in advance. */
function vectors({ rows }: DataSet): (row: DataSet['rows'][number]) => Float64Array {
  const columns = new Map<string, number>();
  const numbers = new Map<string, { sum: number; squares: number; count: number }>();
  for (const row of rows)
    for (const [name, value] of Object.entries(row)) {
      const key = typeof value === 'number' ? name : `${name}=${value}`;
      if (!columns.has(key)) columns.set(key, 1 + columns.size);
      if (typeof value !== 'number') continue;
      const all = numbers.get(name) ?? { sum: 0, squares: 0, count: 0 };
      numbers.set(name, { sum: all.sum + value, squares: all.squares + value * value, count: all.count + 1 });
    }
  return (row) => {
    const x = new Float64Array(1 + columns.size);
    x[0] = 1;
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== 'number') {
        x[columns.get(`${name}=${value}`)!] = 1;
        continue;
      }
      const { sum, squares, count } = numbers.get(name)!;
      const deviation = Math.sqrt(Math.max(squares / count - (sum / count) ** 2, 0));
      x[columns.get(name)!] = deviation > 0 ? (value - sum / count) / deviation : 0;
    }
    return x;
  };
}

/** Ridge regression of one content's reward, its inverse kept by rank-one updates (Sherman & Morrison, 1950). */
class Ridge {
  readonly #weights: Float64Array;
  readonly #inverse: Float64Array;
  readonly #size: number;

  constructor(size: number) {
    this.#size = size;
    this.#weights = new Float64Array(size);
    this.#inverse = new Float64Array(size * size);
    for (let i = 0; i < size; i++) this.#inverse[i * size + i] = 1;
  }

  mean(x: Float64Array): number {
    return x.reduce((sum, value, i) => sum + value * this.#weights[i]!, 0);
  }

  direction(x: Float64Array): Float64Array {
    const found = new Float64Array(this.#size);
    for (let i = 0; i < this.#size; i++) {
      if (x[i] === 0) continue;
      const from = i * this.#size;
      for (let j = 0; j < this.#size; j++) found[j]! += x[i]! * this.#inverse[from + j]!;
    }
    return found;
  }

  variance(x: Float64Array): number {
    const direction = this.direction(x);
    return x.reduce((sum, value, i) => sum + value * direction[i]!, 0);
  }

  learn(x: Float64Array, reward: number): void {
    const direction = this.direction(x);
    const variance = x.reduce((sum, value, i) => sum + value * direction[i]!, 0);
    const error = reward - this.mean(x);
    for (let i = 0; i < this.#size; i++) {
      const factor = direction[i]! / (1 + variance);
      this.#weights[i]! += error * factor;
      if (factor === 0) continue;
      const from = i * this.#size;
      for (let j = 0; j < this.#size; j++) this.#inverse[from + j]! -= factor * direction[j]!;
    }
  }
}

/** Disjoint LinUCB (Li, Chu, Langford & Schapire, 2010, algorithm 1), or ε-greedy on the same regression. */
export function linear(set: DataSet, seed: string, { alpha = 0, epsilon = 0 }): Player {
  const vectorOf = vectors(set);
  const size = vectorOf(set.rows[0]!).length;
  const contents = set.classes.map(() => new Ridge(size));
  const made: { readonly x: Float64Array; readonly content: number }[] = [];
  const random = seededRandom(`${seed}:linear`);
  const reward = (of: number, value: number) => contents[made[of]!.content]!.learn(made[of]!.x, value);
  return {
    // Rewards are late where they are late for the engine; of silence it is told when it is.
    decide(t, { traits }) {
      const x = vectorOf(traits);
      let content = 0;
      let highest = Number.NEGATIVE_INFINITY;
      const explores = epsilon > 0 && random() < epsilon;
      for (const [i, each] of contents.entries()) {
        const bonus = alpha > 0 ? alpha * Math.sqrt(Math.max(each.variance(x), 0)) : 0;
        const value = explores ? random() : each.mean(x) + bonus + 1e-9 * random();
        if (value <= highest) continue;
        highest = value;
        content = i;
      }
      made[t] = { x, content };
      return { content };
    },
    click: (_, of) => reward(of, 1),
    silent: (_, of) => reward(of, 0),
  };
}
