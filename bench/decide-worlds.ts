/**
 * The worlds of the field benchmark in process, without HTTP: for tuning the engine.
 * `npm run bench -- bench/decide-worlds.ts WORLD[,WORLD] SEED…`
 */
import { engine } from './field/engine.ts';
import { play } from './field/run.ts';
import { WORLDS } from './field/worlds.ts';

const [names = '', ...seeds] = process.argv.slice(2);
for (const name of names === '' || names === 'all' ? Object.keys(WORLDS) : names.split(',')) {
  const figures: number[] = [];
  const errors: number[] = [];
  const start = performance.now();
  const notes: string[] = [];
  for (const seed of seeds) {
    const world = WORLDS[name]!(seed);
    const result = await play(
      world,
      seed,
      engine(seed, world, (what) => notes.push(`${seed}: ${what}`)),
    );
    figures.push(100 * result.figure);
    if (result.ranking !== null) errors.push(result.ranking);
  }
  const mean = (xs: number[]) => xs.reduce((a, b) => a + b, 0) / Math.max(xs.length, 1);
  console.log(
    name.padEnd(13),
    mean(figures).toFixed(1).padStart(6),
    `(${figures.map((x) => x.toFixed(0)).join(' ')})`,
    `ranking ±${mean(errors).toFixed(3)}`,
    `${((performance.now() - start) / 1000).toFixed(1)} s`,
    notes.length > 0 ? `${notes.length} falls: ${notes.slice(0, 4).join(', ')}` : '',
  );
}
