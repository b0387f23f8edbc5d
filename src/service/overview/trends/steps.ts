import { HOUR_MS } from '../store.ts';

const DAY_MS = 24 * HOUR_MS;
/** Lengths of steps; each next one is a multiple of those before. */
const LENGTHS = [HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, DAY_MS, 7 * DAY_MS];
const MOST_STEPS = 60;
/** Counts by hour are kept a little longer than this. */
const HOURLY_MS = 14 * DAY_MS;

/** A range of time in equal steps; times are Unix ms. */
export interface Steps {
  readonly from: number;
  readonly until: number;
  readonly stepMs: number;
  readonly count: number;
  /** Width of the counters that add up to steps. */
  readonly width: number;
}

/** Steps shorter than an hour, of what is counted by them. */
export interface ShortSteps {
  /** Each next one is a multiple of those before. */
  readonly lengths: readonly number[];
  /** For how long they are counted. */
  readonly keptMs: number;
}

/** Divides a range into steps of the shortest length of which not too many reach over it. */
export function stepsOf(
  { since, until }: { since?: string; until?: string },
  now: number,
  short?: ShortSteps,
): Steps {
  const end = until === undefined ? now : Date.parse(until);
  const start = Math.min(since === undefined ? end - DAY_MS : Date.parse(since), end - 1);
  const lengths = LENGTHS.filter((ms) => ms >= DAY_MS || start > now - HOURLY_MS);
  // A clock may be a little ahead of that of the service.
  if (short && start > now - short.keptMs - short.lengths[0]!) lengths.unshift(...short.lengths);
  const countOf = (stepMs: number) => Math.ceil((end - floor(start, stepMs)) / stepMs);
  const stepMs = lengths.find((ms) => countOf(ms) <= MOST_STEPS) ?? LENGTHS.at(-1)!;
  const count = Math.min(countOf(stepMs), MOST_STEPS);
  return {
    from: floor(end - 1, stepMs) - (count - 1) * stepMs,
    until: end,
    stepMs,
    count,
    width: stepMs < DAY_MS ? Math.min(HOUR_MS, stepMs) : DAY_MS,
  };
}

const floor = (at: number, stepMs: number) => Math.floor(at / stepMs) * stepMs;

/** The steps as an answer has them. */
export const viewOf = ({ from, until, stepMs }: Steps) => ({
  from: new Date(from).toISOString(),
  until: new Date(until).toISOString(),
  stepMs,
});

/** The number of the step of a time. */
export const stepAt = ({ from, stepMs }: Steps, at: number): number => Math.floor((at - from) / stepMs);

/** Adds counts to their steps. */
export function byStep(steps: Steps, rows: readonly { readonly at: number; readonly n: number }[]): number[] {
  const sums = new Array<number>(steps.count).fill(0);
  for (const { at, n } of rows) {
    const step = stepAt(steps, at);
    if (sums[step] !== undefined) sums[step] += n;
  }
  return sums;
}
