/**
 * How often the 95 % intervals of `svc decisions evaluate` hold the truth. The rows of public data sets in which every
 * answer is known (CSV or ARFF, the label last) become decisions: a row is a user, the labels are the contents, and the reward
 * is 1 if the chosen label is the row's. The engine makes the log, and learns from it, in another order of the rows each time.
 * `npm run bench -- bench/evaluate-coverage.ts FILE.arff… [--decisions 2000] [--repetitions 200]`.
 */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { Evaluator } from '../src/features/evaluation/estimators.ts';
import type { LoggedDecision } from '../src/features/evaluation/logged-decision.ts';
import { always, best, type Policy, running, uniform } from '../src/features/evaluation/policies.ts';
import { bandit, type DataSet, readDataSet } from './bakeoff/data-set.ts';
import { engine } from './field/engine.ts';
import { play } from './field/run.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    decisions: { type: 'string', default: '2000' },
    repetitions: { type: 'string', default: '200' },
  },
});
const decisions = Number(values.decisions);
const repetitions = Number(values.repetitions);
if (positionals.length === 0) throw new Error('give at least one file, such as: pendigits.arff');

const ESTIMATORS = ['ips', 'snips', 'dr'] as const;

/** The log that the engine makes while it plays a set in a random order, with the label of each decision. */
async function logOf(set: DataSet, seed: string) {
  const world = bandit(set, { seed, rounds: decisions, late: 0, permute: false });
  const player = engine(seed, world);
  const made: { readonly decision: LoggedDecision; readonly label: number }[] = [];
  await play(world, seed, {
    ...player,
    async decide(t, visit, contents) {
      const choice = await player.decide(t, visit, contents);
      const { candidates, content } = choice as typeof choice & Pick<LoggedDecision, 'candidates'>;
      const chances = set.classes.map((_, i) => world.chance(t, visit, i));
      made.push({
        decision: {
          candidates: candidates.map((each, i) => ({ ...each, contentId: String(i) })),
          chosen: content,
          reward: chances[content]!,
        },
        label: chances.indexOf(1),
      });
      return choice;
    },
  });
  return made;
}

for (const file of positionals) {
  const set = readDataSet(file);
  const labels = set.classes.length;
  const policies: Record<string, Policy> = { uniform, best, running, 'always the first': always('0') };
  const totals = Object.keys(policies).map(() => ESTIMATORS.map(() => ({ held: 0, width: 0, error: 0 })));
  let earned = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const evaluators = Object.values(policies).map((policy) => new Evaluator(policy));
    const truths = evaluators.map(() => 0);
    for (const { decision, label } of await logOf(set, `${set.name} ${repetition}`)) {
      earned += decision.reward;
      for (const [i, policy] of Object.values(policies).entries()) {
        evaluators[i]!.add(decision);
        truths[i]! += policy(decision)!.chances[label]! / decisions;
      }
    }
    for (const [i, evaluator] of evaluators.entries()) {
      const result = evaluator.result()!;
      for (const [j, name] of ESTIMATORS.entries()) {
        const { mean, low, high } = result[name]!;
        const total = totals[i]![j]!;
        if (low <= truths[i]! && truths[i]! <= high) total.held++;
        total.width += high - low;
        total.error += (mean - truths[i]!) ** 2;
      }
    }
  }
  console.log(
    `${basename(file)}: ${labels} labels, the log earned ${(earned / decisions / repetitions).toFixed(3)}`,
  );
  console.table(
    Object.fromEntries(
      Object.keys(policies).map((name, i) => [
        name,
        Object.fromEntries(
          ESTIMATORS.flatMap((estimator, j) => {
            const { held, width, error } = totals[i]![j]!;
            return [
              [`${estimator} holds %`, (100 * held) / repetitions],
              [`${estimator} width`, (width / repetitions).toFixed(3)],
              [`${estimator} error`, Math.sqrt(error / repetitions).toFixed(3)],
            ];
          }),
        ),
      ]),
    ),
  );
}
