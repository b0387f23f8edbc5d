/**
 * How much of the gap between a uniform choice and an oracle the engine closes, on made-up audiences with 20 actions
 * and 3 context fields, over 20,000 rounds counted from the first. The seeds are
 * other ones than those used while tuning. `npm run bench -- bench/decide-simulator.ts [audiences] [prefix]`.
 */
import { seededRandom } from '../src/kit/random.ts';
import { featuresOf } from '../src/service/decisions/engine/features.ts';
import { fold } from '../src/service/decisions/engine/learning.ts';
import { emptyModel } from '../src/service/decisions/engine/model.ts';
import { propensitiesOf, sample } from '../src/service/decisions/engine/policy.ts';
import { Reader } from '../src/service/decisions/engine/reader.ts';
import { makeWorld, type Shape, STRONG, WEAK, type World } from './support/simulated-world.ts';

const ROUNDS = 20_000;
const seeds = Number(process.argv[2] ?? 10);
const prefix = process.argv[3] ?? 'held-out';
const PRIOR = 0.1;

type Policy = {
  choose(context: number[]): number;
  reward(context: number[], action: number, reward: number): void;
};

/** The engine itself; `blind` leaves the context out: context-free Thompson sampling. */
function engine(world: World, actions: number, seed: string, blind = false): Policy {
  const random = seededRandom(seed);
  const model = emptyModel();
  const features = (context: number[]) =>
    featuresOf(blind ? {} : Object.fromEntries(context.map((v, f) => [`field${f}`, world.fields[f]![v]!])));
  return {
    choose(context) {
      const reader = new Reader(model, features(context), null);
      const scores = Array.from({ length: actions }, (_, a) =>
        reader.score({ contentId: `a${a}`, category: 'any', attributes: [], prior: PRIOR }),
      );
      return sample(propensitiesOf(scores, random), random);
    },
    reward(context, action, reward) {
      const entry = {
        decisionId: `${model.version}`,
        contentId: `a${action}`,
        category: 'any',
        attributes: [],
        prior: PRIOR,
      };
      const known = { user: null, at: model.version * 1000, from: null, to: reward };
      fold(model, [{ ...entry, ...known, features: features(context) }]);
    },
  };
}

/** Mean reward of every action, one in ten choices at random. */
function greedy(actions: number, seed: string, epsilon = 0.1): Policy {
  const random = seededRandom(seed);
  const won = new Array(actions).fill(0);
  const shown = new Array(actions).fill(0);
  return {
    choose() {
      if (random() < epsilon) return Math.floor(random() * actions);
      let best = 0;
      for (let a = 1; a < actions; a++)
        if ((won[a] + 1) / (shown[a] + 1) > (won[best] + 1) / (shown[best] + 1)) best = a;
      return best;
    },
    reward(_, action, reward) {
      won[action] += reward;
      shown[action]++;
    },
  };
}

/** Expected reward summed over the rounds. The oracle and the uniform choice come from the same contexts. */
function play(world: World, actions: number, policy: Policy, seed: string) {
  const contexts = seededRandom(`${seed}:contexts`);
  const outcomes = seededRandom(`${seed}:outcomes`);
  const total = { policy: 0, uniform: 0, oracle: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const context = world.draw(contexts);
    const chances = Array.from({ length: actions }, (_, a) => world.chance(a, context));
    const action = policy.choose(context);
    policy.reward(context, action, outcomes() < chances[action]! ? 1 : 0);
    total.policy += chances[action]!;
    total.oracle += Math.max(...chances);
    total.uniform += chances.reduce((sum, p) => sum + p, 0) / actions;
  }
  return (total.policy - total.uniform) / (total.oracle - total.uniform);
}

function run(name: string, shape: Shape) {
  const columns = ['uniform', 'e-greedy', 'context-free', 'engine'] as const;
  const closed: Record<string, number[]> = Object.fromEntries(columns.map((c) => [c, []]));
  for (let i = 0; i < seeds; i++) {
    const seed = `${prefix}:${name}:${i}`;
    const world = makeWorld(shape, seededRandom(`${seed}:world`));
    const n = shape.actions;
    const uniform = seededRandom(`${seed}:uniform`);
    const policies: Record<(typeof columns)[number], Policy> = {
      uniform: { choose: () => Math.floor(uniform() * n), reward: () => undefined },
      'e-greedy': greedy(n, `${seed}:greedy`),
      'context-free': engine(world, n, `${seed}:blind`, true),
      engine: engine(world, n, `${seed}:engine`),
    };
    for (const column of columns) closed[column]!.push(play(world, n, policies[column], seed));
  }
  const percent = (xs: number[]) => `${((100 * xs.reduce((a, b) => a + b, 0)) / xs.length).toFixed(1)} %`;
  const least = Math.min(...closed.engine!);
  console.log(
    `${name.padEnd(7)} ${columns.map((c) => `${c} ${percent(closed[c]!)}`).join('   ')}   (worst seed ${(100 * least).toFixed(1)} %)`,
  );
}

console.log(
  `share of the gap from uniform to oracle closed, mean of ${seeds} audiences, ${ROUNDS} rounds each`,
);
run('strong', STRONG);
run('weak', WEAK);
