/**
 * The engine on classification sets, as bandits, beside disjoint LinUCB (α 0.3) and ε-greedy (0.05) in the same run: the mean
 * reward over one pass in random order. `npm run bench -- bench/bakeoff.ts FOLDER [--orders 3] [--rounds 8000] [--late N]
 * [--permute] [--http] [--only NAME,NAME] [--no-baselines] [--vw PROGRAM]`. With the program of Vowpal Wabbit its SquareCB runs
 * beside them. The folder holds CSV without a header or ARFF, the label last.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { bandit, type DataSet, mostFrequent, readDataSet } from './bakeoff/data-set.ts';
import { linear } from './bakeoff/linear.ts';
import { vowpal } from './bakeoff/vowpal.ts';
import { engine } from './field/engine.ts';
import { overHttp } from './field/http.ts';
import { type Player, play } from './field/run.ts';
import type { World } from './field/worlds.ts';

const [folder, ...words] = process.argv.slice(2);
if (!folder) throw new Error('give a folder of data sets');
const flag = (name: string) => words.includes(name);
const option = (name: string, fallback: string) => (flag(name) ? words[words.indexOf(name) + 1]! : fallback);
const orders = Number(option('--orders', '3'));
const rounds = Number(option('--rounds', '8000'));
const late = Number(option('--late', '0'));
const only = option('--only', '');

type Start = (set: DataSet, world: World, seed: string) => Promise<Player & { close?(): Promise<void> }>;
const players: Record<string, Start> = {
  engine: async (_, world, seed) => (flag('--http') ? overHttp(world, false) : engine(seed, world)),
  ...(flag('--no-baselines')
    ? {}
    : {
        LinUCB: async (set, _, seed) => linear(set, seed, { alpha: 0.3 }),
        'ε-greedy': async (set, _, seed) => linear(set, seed, { epsilon: 0.05 }),
      }),
  ...(flag('--vw') ? { 'VW squarecb': async (set, _, seed) => vowpal(option('--vw', 'vw'), set, seed) } : {}),
};

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Decisions until the mean of a tenth of the run is 90 % of that of its last quarter. */
function decisionsToReach(chances: readonly number[]): number {
  const goal = 0.9 * mean(chances.slice(Math.floor(0.75 * chances.length)));
  const width = Math.floor(chances.length / 10);
  let sum = 0;
  for (let t = 0; t < chances.length; t++) {
    sum += chances[t]! - (t >= width ? chances[t - width]! : 0);
    if (t >= width - 1 && sum / width >= goal) return t + 1;
  }
  return chances.length;
}

const names = readdirSync(folder)
  .filter((name) => /\.(arff|csv)$/.test(name))
  .filter((name) => only === '' || only.split(',').includes(name.replace(/\.\w+$/, '')))
  .sort();
const sums = new Map<string, number>();
console.log(
  'set',
  'rows',
  'columns',
  'classes',
  'most frequent',
  ...Object.keys(players).map((name) => `${name} (each order)`),
);
for (const name of names) {
  const set = readDataSet(join(folder, name));
  const columns = new Set(set.rows.slice(0, 1000).flatMap((row) => Object.keys(row))).size;
  const figures: string[] = [];
  for (const [player, start] of Object.entries(players)) {
    const rewards: number[] = [];
    const reached: number[] = [];
    const before = process.cpuUsage().user;
    let decisions = 0;
    for (let order = 1; order <= orders; order++) {
      const seed = `order ${order}`;
      const world = bandit(set, { seed, rounds, late, permute: flag('--permute') });
      const running = await start(set, world, seed);
      const { reward, chances } = await play(world, seed, running);
      rewards.push(reward);
      reached.push(decisionsToReach(chances));
      decisions += world.decisions;
      await running.close?.();
    }
    sums.set(player, (sums.get(player) ?? 0) + mean(rewards));
    const cost = (process.cpuUsage().user - before) / decisions;
    figures.push(
      `${mean(rewards).toFixed(4)} (${rewards.map((reward) => reward.toFixed(3)).join(' ')}; ${cost.toFixed(0)} µs; 90 % at ${mean(reached).toFixed(0)})`,
    );
  }
  console.log(
    set.name,
    set.rows.length,
    columns,
    set.classes.length,
    mostFrequent(set).toFixed(3),
    figures.join('  '),
  );
}
for (const [player, sum] of sums)
  console.log(`${player}: mean of ${names.length} sets ${(sum / names.length).toFixed(4)}`);
