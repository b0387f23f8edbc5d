import { Lru } from '../lru.ts';
import { localParts, zoneKey } from './local-time.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** Steps in which the end is looked for. Clock changes happen at full quarters of an hour. */
const STEP_MS = 15 * MINUTE_MS;

/** A message may reach its channel so long after it was claimed: nothing is sent shortly before quiet hours. */
export const SENDING_MS = MINUTE_MS;

/** Hours of every local day, in minutes since midnight: [`from`, `until`), over midnight if `until` is lower. */
export interface QuietHours {
  readonly from: number;
  readonly until: number;
}

/** The last ends that were found: the users of a zone have the same one. */
const ends = new Lru<string, { readonly since: number; readonly end: number }>(1000);

/** Parses a time of day such as `21:30` to minutes since midnight; undefined if it is not one. */
export function minutesOfDay(text: string): number | undefined {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hour === undefined ? undefined : Number(hour) * 60 + Number(minute);
}

/** True if the clocks of a time zone show a time of the quiet hours. */
export function isQuiet(at: number, timeZone: string | undefined, { from, until }: QuietHours): boolean {
  const { hour, minute } = localParts(at, timeZone, 'time');
  const now = Number(hour) * 60 + Number(minute);
  const length = (until - from + DAY_MINUTES) % DAY_MINUTES;
  return (now - from + DAY_MINUTES) % DAY_MINUTES < length;
}

/**
 * When a message may be sent again, Unix ms, or undefined if it may be sent now: neither now nor within SENDING_MS is
 * in the quiet hours. Clock changes are those of the zone: hours that a clock skips are not quiet, hours that it shows
 * twice are quiet twice.
 */
export function quietUntil(at: number, timeZone: string | undefined, hours: QuietHours): number | undefined {
  const forbidden = (instant: number) =>
    isQuiet(instant, timeZone, hours) || isQuiet(instant + SENDING_MS, timeZone, hours);
  const key = `${zoneKey(timeZone)} ${hours.from} ${hours.until}`;
  const known = ends.get(key);
  if (known && at >= known.since && at < known.end) return known.end;
  if (!forbidden(at)) return undefined;
  const end = endAfter(at, forbidden);
  ends.set(key, { since: at, end });
  return end;
}

/** The first instant after `at`, to the minute, that is not forbidden. */
function endAfter(at: number, forbidden: (instant: number) => boolean): number {
  let low = at - (at % MINUTE_MS);
  while (forbidden(low + STEP_MS)) low += STEP_MS;
  let end = low + MINUTE_MS;
  while (forbidden(end)) end += MINUTE_MS;
  return end;
}
