/** The logs whose rows are numbered, and divided into partitions by time where the engine can. */
export const NUMBERED_LOGS = ['events', 'decisions'] as const;
export type NumberedLog = (typeof NUMBERED_LOGS)[number];

/** The logs whose rows are removed by age (serve --retain). */
export const RETAINED_LOGS = [...NUMBERED_LOGS, 'notifications', 'eventIds', 'outcomes'] as const;
export type RetainedLog = (typeof RETAINED_LOGS)[number];

/** How long the rows of each log are kept, in ms; null for ever. */
export type Retention = Readonly<Record<RetainedLog, number | null>>;

/** For each log: rows from before this time, Unix ms, are removed; null for none. */
export type Cutoffs = Readonly<Record<RetainedLog, number | null>>;

const HOUR_MS = 3_600_000;
/** A partition of a log that is kept for ever, in ms. */
const LONG_MS = 365 * 24 * HOUR_MS;

/** The length in ms of what is removed at once: a twelfth of the kept time in whole hours, at least one. */
export function periodOf(keptMs: number | null): number {
  if (keptMs === null) return LONG_MS;
  return Math.max(1, Math.floor(keptMs / 12 / HOUR_MS)) * HOUR_MS;
}

/** The start of the oldest period that is kept, Unix ms: a row is removed within a period after its time. */
export function cutoffOf(now: number, keptMs: number | null): number | null {
  if (keptMs === null) return null;
  const period = periodOf(keptMs);
  return Math.floor((now - keptMs) / period) * period;
}

/** The cutoff of each log, Unix ms. */
export function cutoffsOf(now: number, retention: Retention): Cutoffs {
  return Object.fromEntries(RETAINED_LOGS.map((log) => [log, cutoffOf(now, retention[log])])) as Cutoffs;
}

const DAY_MS = 24 * HOUR_MS;

/** A retention as `serve --retain` takes it: whole days, or hours. */
export function retentionText(ms: number | null): string {
  if (ms === null) return 'forever';
  return ms % DAY_MS === 0 ? `${ms / DAY_MS}d` : `${Math.ceil(ms / 360_000) / 10}h`;
}
