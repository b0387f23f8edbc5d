import type { Random } from '../../src/kit/random.ts';

export interface PlacementOptions {
  readonly workspaces: number;
  readonly cells: number;
  /** Exponent of the power law of sizes. */
  readonly exponent: number;
  readonly days: number;
  readonly random: Random;
}

export interface PlacementReport {
  /** Share of the largest workspace in all traffic. */
  readonly largest: number;
  /** Workspaces that are set apart, on a distributed database of their own. */
  readonly apart: number;
  /** Load of the fullest cell, as a share of its capacity: on the first day, and the worst of all days. */
  readonly first: number;
  readonly worst: number;
  /** Days on which a cell had more load than capacity, summed over the cells. */
  readonly overloaded: number;
  readonly moves: number;
  /** Seconds of each move: the whole copy, and the part for which the workspace was frozen. */
  readonly copySeconds: readonly number[];
  readonly freezeSeconds: readonly number[];
  /** Share of the workspaces and of the traffic that the failure of one cell takes: the worst cell. */
  readonly failedWorkspaces: number;
  readonly failedTraffic: number;
}

/** Part of all capacity that is used at first. */
const USED = 0.6;
/** A workspace that needs more than this share of a cell is set apart. */
const LARGE = 0.5;
/** A cell above the first share of its capacity gives workspaces away until it is below the second. */
const FULL = 0.8;
const ENOUGH = 0.7;
/** Standard deviation of the daily change of a workspace's rate (of its logarithm). */
const DRIFT = 0.05;

/** Assumptions of the time that a move takes. */
const EVENTS_PER_SECOND = 200_000;
const BYTES_PER_EVENT = 250;
const RETAINED_SECONDS = 30 * 86_400;
const COPY_BYTES_PER_SECOND = 100_000_000;
/** The last pass begins when so little is missing, in bytes. */
const LAST_PASS = 10_000_000;
/** Freezing, comparing and changing the directory. */
const FLIP_SECONDS = 1;

/** Places a workspace in a cell, given the loads of the cells. */
export type Place = (size: number, loads: readonly number[], random: Random) => number;

/** By a hash of the identifier: needs no directory, and cannot choose. */
export const byHash: Place = (_, loads, random) => Math.floor(random() * loads.length);
/** Where there is most room: needs the directory. */
export const byLoad: Place = (_, loads) => loads.indexOf(Math.min(...loads));

/**
 * Simulates days in which the rates of workspaces change. `moving`: workspaces move between cells, and large ones are set
 * apart.
 */
export function simulate(options: PlacementOptions, place: Place, moving: boolean): PlacementReport {
  const { workspaces, cells, exponent, days, random } = options;
  const weights = Array.from({ length: workspaces }, (_, rank) => (rank + 1) ** -exponent);
  const total = sum(weights);
  /** Shares of the traffic of the first day. They come in any order. */
  const sizes = shuffled(
    weights.map((weight) => weight / total),
    random,
  );
  const capacity = 1 / USED / cells;
  const loads: number[] = new Array(cells).fill(0);
  const isLarge = (size: number) => moving && size > LARGE * capacity;
  const cellOf = sizes.map((size) => {
    if (isLarge(size)) return APART;
    const cell = place(size, loads, random);
    loads[cell]! += size;
    return cell;
  });
  const first = Math.max(...loads) / capacity;
  const report = {
    ...{ largest: Math.max(...sizes), apart: 0 },
    ...{ first, worst: 0, overloaded: 0, moves: 0, failedWorkspaces: 0, failedTraffic: 0 },
    copySeconds: [] as number[],
    freezeSeconds: [] as number[],
  };
  for (let day = 0; day < days; day++) {
    for (let w = 0; w < workspaces; w++) {
      // The mean stays: the service as a whole does not outgrow its cells in this simulation.
      const size = sizes[w]! * Math.exp(DRIFT * normal(random) - DRIFT ** 2 / 2);
      const cell = cellOf[w]!;
      if (cell !== APART) loads[cell]! += size - sizes[w]!;
      if (cell !== APART && isLarge(size)) {
        loads[cell]! -= size;
        cellOf[w] = APART;
      }
      sizes[w] = size;
    }
    if (moving) moveAll(sizes, cellOf, loads, capacity, report);
    report.worst = Math.max(report.worst, Math.max(...loads) / capacity);
    report.overloaded += loads.filter((load) => load > capacity).length;
  }
  const members: number[] = new Array(cells).fill(0);
  for (const cell of cellOf)
    if (cell === APART) report.apart++;
    else members[cell]!++;
  report.failedWorkspaces = Math.max(...members) / workspaces;
  report.failedTraffic = Math.max(...loads) / sum(sizes);
  return report;
}

/** Moves workspaces out of full cells into the emptiest: the smallest that suffices, or else the largest that fits. */
function moveAll(
  sizes: readonly number[],
  cellOf: number[],
  loads: number[],
  capacity: number,
  report: { moves: number; copySeconds: number[]; freezeSeconds: number[] },
): void {
  for (let from = 0; from < loads.length; from++) {
    if (loads[from]! <= FULL * capacity) continue;
    const members = cellOf.flatMap((cell, w) => (cell === from ? [w] : []));
    members.sort((a, b) => sizes[a]! - sizes[b]!);
    while (loads[from]! > ENOUGH * capacity) {
      const to = loads.indexOf(Math.min(...loads));
      const excess = loads[from]! - ENOUGH * capacity;
      const room = ENOUGH * capacity - loads[to]!;
      const fitting = members.filter((w) => sizes[w]! <= room);
      const chosen = fitting.find((w) => sizes[w]! >= excess) ?? fitting.at(-1);
      if (chosen === undefined || to === from) break;
      members.splice(members.indexOf(chosen), 1);
      cellOf[chosen] = to;
      loads[from]! -= sizes[chosen]!;
      loads[to]! += sizes[chosen]!;
      const { copy, freeze } = moveSeconds(sizes[chosen]!);
      report.moves++;
      report.copySeconds.push(copy);
      report.freezeSeconds.push(freeze);
    }
  }
}

/** How long the move of a workspace with this share of the traffic takes: passes over what was written meanwhile. */
function moveSeconds(share: number): { copy: number; freeze: number } {
  const written = share * EVENTS_PER_SECOND * BYTES_PER_EVENT;
  let left = written * RETAINED_SECONDS;
  let copy = 0;
  while (left > LAST_PASS) {
    const seconds = left / COPY_BYTES_PER_SECOND;
    copy += seconds;
    left = written * seconds;
  }
  return { copy, freeze: left / COPY_BYTES_PER_SECOND + FLIP_SECONDS };
}

/** Instead of the number of a cell. */
const APART = -1;

const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);

function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const mixed = [...list];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j]!, mixed[i]!];
  }
  return mixed;
}
