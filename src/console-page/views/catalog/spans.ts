const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest time that is compared. */
const LONGEST_MS = 14 * DAY_MS;
/** Counters by hour are kept for longer than this. */
const HOURLY_MS = 14 * DAY_MS;
/** Lengths of the steps of a trend, each up to this length of a range (the endpoint's description). */
const UNITS = [
  [60 * HOUR_MS, HOUR_MS],
  [180 * HOUR_MS, 3 * HOUR_MS],
  [360 * HOUR_MS, 6 * HOUR_MS],
] as const;
const LONGEST_UNIT_MS = 6 * HOUR_MS;
/** Two spans of one length, before and after a time. */
interface Spans {
  readonly before: readonly [since: number, until: number];
  readonly after: readonly [since: number, until: number];
}

/**
 * The spans around the time at which a version was stored: as long as it and the one before it were in force. Both are whole
 * steps of the service's counters; that of the change is in neither. Undefined while they are shorter than one. Times are Unix ms.
 */
export function spansAround(
  stored: number,
  { from, until, now }: { readonly from: number | undefined; readonly until: number; readonly now: number },
): Spans | undefined {
  const most = Math.min(until - stored, stored - (from ?? 0), LONGEST_MS);
  const isOld = stored - most - LONGEST_UNIT_MS < now - HOURLY_MS;
  const unit = isOld ? DAY_MS : UNITS.find(([length]) => most <= length)![1];
  const [end, start] = [Math.floor(stored / unit) * unit, Math.ceil(stored / unit) * unit];
  const length = Math.floor(Math.min(until - start, end - (from ?? 0), LONGEST_MS) / unit) * unit;
  if (length < unit) return undefined;
  return { before: [end - length, end], after: [start, start + length] };
}
