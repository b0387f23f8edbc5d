/**
 * How often the 95 % intervals of `svc decisions evaluate` hold the truth. The rows of public data sets in which every
 * answer is known (ARFF, the label last) become decisions: a row is a user, the labels are the contents, and the reward is 1
 * if the chosen label is the row's. The policy that makes the log gives 0.98 to the label with the highest upper bound of a
 * linear model that learns from the log (LinUCB), and spreads 0.02 over all.
 * `npm run bench -- bench/evaluate-coverage.ts FILE.arff… [--decisions 2000] [--repetitions 200]`.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { Evaluator } from '../src/features/evaluation/estimators.ts';
import type { LoggedDecision } from '../src/features/evaluation/logged-decision.ts';
import { always, best, type Policy, running, uniform } from '../src/features/evaluation/policies.ts';
import { type Random, seededRandom } from '../src/kit/random.ts';

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

const EXPLORATION = 0.02;
const ESTIMATORS = ['ips', 'snips', 'dr'] as const;

interface Row {
  readonly x: Float64Array;
  readonly label: number;
}

/** A log of the learning policy over random rows. */
function* log(rows: readonly Row[], labels: number, random: Random) {
  const experts = Array.from({ length: labels }, () => new Linear(rows[0]!.x.length));
  for (let made = 0; made < decisions; made++) {
    const { x, label } = rows[Math.floor(random() * rows.length)]!;
    const beliefs = experts.map((expert) => expert.believe(x));
    const bounds = beliefs.map(({ mean, deviation }) => mean + 0.3 * deviation);
    const winner = bounds.indexOf(Math.max(...bounds));
    const candidates = beliefs.map(({ mean }, i) => ({
      contentId: String(i),
      propensity: EXPLORATION / labels + (i === winner ? 1 - EXPLORATION : 0),
      ranking: Math.min(1, Math.max(0, mean)),
    }));
    const chosen = random() < EXPLORATION ? Math.floor(random() * labels) : winner;
    const decision: LoggedDecision = { candidates, chosen, reward: chosen === label ? 1 : 0 };
    experts[chosen]!.learn(x, decision.reward);
    yield { decision, label };
  }
}

/** Ridge regression, its covariance kept by rank-one updates. */
class Linear {
  readonly #mean: Float64Array;
  readonly #covariance: Float64Array[];

  constructor(size: number) {
    this.#mean = new Float64Array(size);
    this.#covariance = Array.from({ length: size }, (_, i) => new Float64Array(size).fill(1, i, i + 1));
  }

  believe(x: Float64Array) {
    return { mean: dot(this.#mean, x), deviation: Math.sqrt(dot(this.#along(x), x)) };
  }

  learn(x: Float64Array, value: number): void {
    const direction = this.#along(x);
    const step = 1 + dot(direction, x);
    const error = value - dot(this.#mean, x);
    for (const [i, row] of this.#covariance.entries()) {
      this.#mean[i]! += (error * direction[i]!) / step;
      for (let j = 0; j < row.length; j++) row[j]! -= (direction[i]! * direction[j]!) / step;
    }
  }

  #along = (x: Float64Array) => Float64Array.from(this.#covariance, (row) => dot(row, x));
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Numbers standardised, words one column each. */
function read(file: string): { rows: Row[]; labels: number } {
  const lines = readFileSync(file, 'utf8')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '' && !line.startsWith('%'));
  const data = lines.findIndex((line) => /^\s*@data/i.test(line));
  const cells = lines.slice(data + 1).map((line) => line.split(',').map((cell) => cell.trim()));
  const isNumber = lines
    .slice(0, data)
    .filter((line) => /^\s*@attribute/i.test(line))
    .map((line) => /\s(numeric|real|integer)\s*$/i.test(line));
  const encoders = isNumber.slice(0, -1).map((numeric, column) => {
    const found = cells.map((row) => row[column]!);
    if (!numeric) {
      const words = [...new Set(found)];
      return (cell: string) => words.map((word) => (word === cell ? 1 : 0));
    }
    const numbers = found.map(Number).filter(Number.isFinite);
    const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
    const variance = numbers.reduce((sum, each) => sum + (each - mean) ** 2, 0) / numbers.length;
    return (cell: string) => [
      Number.isFinite(Number(cell)) ? (Number(cell) - mean) / Math.sqrt(variance || 1) : 0,
    ];
  });
  const names = [...new Set(cells.map((row) => row.at(-1)!))];
  const rows = cells.map((row) => ({
    x: Float64Array.from([1, ...encoders.flatMap((encode, column) => encode(row[column]!))]),
    label: names.indexOf(row.at(-1)!),
  }));
  return { rows, labels: names.length };
}

for (const file of positionals) {
  const { rows, labels } = read(file);
  const policies: Record<string, Policy> = { uniform, best, running, 'always the first': always('0') };
  const totals = Object.keys(policies).map(() => ESTIMATORS.map(() => ({ held: 0, width: 0, error: 0 })));
  let earned = 0;
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const evaluators = Object.values(policies).map((policy) => new Evaluator(policy));
    const truths = evaluators.map(() => 0);
    for (const { decision, label } of log(rows, labels, seededRandom(`${basename(file)} ${repetition}`))) {
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
