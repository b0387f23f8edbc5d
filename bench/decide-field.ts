/**
 * How well decisions do where users are silent, different and changing: the worlds of `bench/field/worlds.ts`, each
 * over HTTP on the built service, beside a uniform choice, context-free Thompson sampling and hybrid LinUCB (the last
 * two are given every reward at once). Each world is played twice: nobody polls, and the app polls before it reports.
 * `npm run bench -- bench/decide-field.ts SEED… [--worlds silent,trait] [--no-poll | --poll | --in-process] [--no-baselines]`.
 * With `--in-process` the engine is played without a service around it, which takes minutes instead of hours.
 */
import { contextFree, hybridLinUcb, uniform } from './field/baselines.ts';
import { engine } from './field/engine.ts';
import { overHttp } from './field/http.ts';
import { type Player, play, type Result } from './field/run.ts';
import { WORLDS } from './field/worlds.ts';

/** Worlds that need time to pass as they say, or take too long. */
const IN_PROCESS = ['steady', 'steady-late', 'slows'];
const words = process.argv.slice(2);
const flag = (name: string) => words.includes(name);
const at = words.indexOf('--worlds');
const names =
  at < 0 ? Object.keys(WORLDS).filter((name) => !IN_PROCESS.includes(name)) : words[at + 1]!.split(',');
const seeds = words.filter((word, i) => !word.startsWith('--') && i !== at + (at < 0 ? 0 : 1));
if (seeds.length === 0) throw new Error('give at least one seed, such as: bench/decide-field.ts 1 2 3');

const columns: Record<string, (seed: string, name: string) => Promise<Result>> = {
  ...(flag('--in-process')
    ? { 'in process': (seed, name) => playInProcess(seed, name, engine(seed, WORLDS[name]!(seed))) }
    : {}),
  ...(flag('--poll') || flag('--in-process')
    ? {}
    : { 'nobody polls': (seed, name) => playOverHttp(seed, name, false) }),
  ...(flag('--no-poll') || flag('--in-process')
    ? {}
    : { 'an app polls': (seed, name) => playOverHttp(seed, name, true) }),
  ...(flag('--no-baselines')
    ? {}
    : {
        uniform: (seed, name) => playInProcess(seed, name, uniform(seed)),
        'context-free': (seed, name) => playInProcess(seed, name, contextFree(seed)),
        'hybrid LinUCB': (seed, name) => playInProcess(seed, name, hybridLinUcb()),
      }),
};

async function playOverHttp(seed: string, name: string, polling: boolean): Promise<Result> {
  const world = WORLDS[name]!(seed);
  const player = await overHttp(world, polling);
  try {
    return await play(world, seed, player);
  } finally {
    await player.close();
  }
}

const playInProcess = (seed: string, name: string, player: Player) => play(WORLDS[name]!(seed), seed, player);

const mean = (values: number[]) => values.reduce((a, b) => a + b, 0) / values.length;
for (const name of names) {
  const { goal } = WORLDS[name]!(seeds[0]!);
  console.log(`${name} (goal ${goal}), mean of ${seeds.length} seeds`);
  for (const [column, run] of Object.entries(columns)) {
    const results: Result[] = [];
    for (const seed of seeds) results.push(await run(seed, name));
    const figures = results.map(({ figure }) => 100 * figure);
    const errors = results.flatMap(({ ranking }) => (ranking === null ? [] : [ranking]));
    const each = figures.map((figure) => figure.toFixed(1)).join(' ');
    const ranking = errors.length > 0 ? `  ranking off by ${mean(errors).toFixed(3)}` : '';
    console.log(`  ${column.padEnd(14)} ${mean(figures).toFixed(1).padStart(6)} %  (${each})${ranking}`);
  }
}
