import type { Random } from '../../src/kit/random.ts';

/** A simulated audience: the reward of every action in every context. */
export interface World {
  readonly fields: readonly (readonly string[])[];
  /** Returns the probability of a reward for `action` when each field f has the value number `context[f]`. */
  chance(action: number, context: readonly number[]): number;
  draw(random: Random): number[];
}

export interface Shape {
  readonly actions: number;
  /** Standard deviation of the actions' base reward, in log-odds. */
  readonly own: number;
  /** Standard deviation of the effect of each context value on an action, in log-odds. */
  readonly context: number;
}

export const STRONG: Shape = { actions: 20, own: 0.4, context: 0.9 };
export const WEAK: Shape = { actions: 20, own: 0.6, context: 0.35 };

const VALUES = [4, 4, 4];
const BASE = -2.2;

export function makeWorld(shape: Shape, random: Random): World {
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const own = Array.from({ length: shape.actions }, () => BASE + shape.own * normal());
  const weights = own.map(() => VALUES.map((n) => Array.from({ length: n }, () => shape.context * normal())));
  return {
    fields: VALUES.map((n, f) => Array.from({ length: n }, (_, v) => `f${f}v${v}`)),
    chance: (action, context) => {
      let score = own[action]!;
      for (const [field, value] of context.entries()) score += weights[action]![field]![value]!;
      return 1 / (1 + Math.exp(-score));
    },
    draw: (r) => VALUES.map((n) => Math.floor(r() * n)),
  };
}
