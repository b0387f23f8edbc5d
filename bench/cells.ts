/**
 * Simulates a service of several databases (cells), for docs/reference/scale.md: how evenly 10,000 workspaces whose
 * sizes follow a power law fill them, what moving workspaces costs and gains, what the failure of a cell takes with it,
 * and whether moves lose writes. Nothing is stored anywhere. Exits with 1 if a move lost or brought back a row.
 * `npm run bench -- bench/cells.ts [SEED] [WORKSPACES] [CELLS] [EXPONENT] [DAYS] [SCHEDULES]`.
 */
import { cpus } from 'node:os';
import { seededRandom } from '../src/kit/random.ts';
import { type MovingReport, runSchedule } from './cells/moving.ts';
import { byHash, byLoad, type Place, type PlacementReport, simulate } from './cells/placement.ts';

const seed = process.argv[2] ?? 'cells';
const [workspaces = 10_000, cells = 16, exponent = 1, days = 365, schedules = 20_000] = process.argv
  .slice(3)
  .map(Number);
const STEPS = 300;

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const at = (numbers: readonly number[], part: number) =>
  [...numbers].sort((a, b) => a - b)[Math.floor(part * (numbers.length - 1))] ?? 0;
const duration = (seconds: number) =>
  seconds < 120 ? `${seconds.toFixed(1)} s` : `${(seconds / 60).toFixed(0)} min`;

console.log(`seed ${seed}; ${cpus().length} cores, Node ${process.versions.node}`);
console.log(`${workspaces} workspaces, power law with exponent ${exponent}, ${cells} cells, ${days} days`);
const plans: [string, Place, boolean][] = [
  ['by hash', byHash, false],
  ['by load, without moves', byLoad, false],
  ['by load, with moves', byLoad, true],
];
for (const [name, place, moving] of plans) {
  const random = seededRandom(`${seed} placement`);
  print(name, simulate({ workspaces, cells, exponent, days, random }, place, moving));
}

function print(name: string, report: PlacementReport): void {
  console.log(`\n${name}`);
  console.log(`  largest workspace ${percent(report.largest)} of the traffic; set apart: ${report.apart}`);
  console.log(
    `  fullest cell: ${percent(report.first)} of its capacity at first, ${percent(report.worst)} on the worst day`,
  );
  console.log(`  days on which a cell was over its capacity: ${report.overloaded} of ${days * cells}`);
  console.log(
    `  one failed cell takes at most ${percent(report.failedWorkspaces)} of the workspaces, ${percent(report.failedTraffic)} of the traffic`,
  );
  if (report.moves === 0) return;
  const { copySeconds: copy, freezeSeconds: freeze } = report;
  console.log(`  moves: ${report.moves}, ${(report.moves / days).toFixed(2)} a day`);
  console.log(
    `  copy: P50 ${duration(at(copy, 0.5))}, P99 ${duration(at(copy, 0.99))}, longest ${duration(at(copy, 1))}`,
  );
  console.log(
    `  frozen: P50 ${duration(at(freeze, 0.5))}, P99 ${duration(at(freeze, 0.99))}, longest ${duration(at(freeze, 1))}`,
  );
}

console.log(
  `\nmoves under writes, erasures, kills and lost answers: ${schedules} schedules of ${STEPS} steps`,
);
const totals = (fenced: boolean): MovingReport & { schedules: number } => {
  const all = { accepted: 0, repeated: 0, moves: 0, kills: 0, abandoned: 0, wrong: 0, schedules: 0 };
  for (let n = 0; n < schedules; n++) {
    const report = runSchedule(seededRandom(`${seed} moving ${n}`), STEPS, fenced);
    for (const key of ['accepted', 'repeated', 'moves', 'kills', 'abandoned', 'wrong'] as const)
      all[key] += report[key];
    if (report.wrong > 0) all.schedules++;
  }
  return all;
};
const fenced = totals(true);
const unfenced = totals(false);
console.log(
  `  ${fenced.accepted} writes, ${fenced.repeated} repeated, ${fenced.moves} moves, ${fenced.kills} kills, ${fenced.abandoned} given up`,
);
console.log(`  rows lost or brought back: ${fenced.wrong}`);
console.log(
  `  the same without the rules that prevent it, to show that the simulation finds it: ${unfenced.wrong} rows in ${unfenced.schedules} schedules`,
);
process.exitCode = fenced.wrong === 0 && unfenced.wrong > 0 ? 0 : 1;
