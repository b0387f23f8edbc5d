import { Lru } from '../../kit/lru.ts';
import { localParts, zoneKey } from '../../kit/time/local-time.ts';

const HOUR_MS = 3_600_000;

/** The last computed days of zones, which are nearly always the next ones needed. */
const spans = new Lru<string, DaySpan>(1000);

/**
 * The calendar day, such as `2026-03-29`, that an instant (Unix ms) falls on in an IANA time zone.
 * A time zone unknown to this machine counts as UTC.
 */
export function localDay(at: number, timeZone: string | undefined): string {
  const parts = localParts(at, timeZone, 'date');
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/** A calendar day as a half-open interval of instants, Unix ms: [`start`, `end`). */
export interface DaySpan {
  readonly day: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The calendar day that contains an instant in a time zone. A day with a clock change may have 23 or 25 hours, so its
 * bounds are found by comparing dates and not by adding 24 hours.
 */
export function dayAround(at: number, timeZone: string | undefined): DaySpan {
  const day = localDay(at, timeZone);
  const key = `${day} ${zoneKey(timeZone)}`;
  const known = spans.get(key);
  if (known) return known;
  const span = findDay(day, at, timeZone);
  spans.set(key, span);
  return span;
}

/** The end of the calendar day that is `days` after the one that contains an instant, Unix ms. */
export function dayEndAfter(at: number, days: number, timeZone: string | undefined): number {
  return dayAround(dayAround(at, timeZone).start + (days + 0.5) * 24 * HOUR_MS, timeZone).end;
}

/** The start of the calendar day six days before the one that contains an instant, Unix ms: seven days with that one. */
export function weekStart(at: number, timeZone: string | undefined): number {
  // Half a day away from both ends, so that no clock change leads to another day.
  const sixDaysBefore = dayAround(at, timeZone).start - 5.5 * 24 * HOUR_MS;
  return dayAround(sixDaysBefore, timeZone).start;
}

function findDay(day: string, at: number, timeZone: string | undefined): DaySpan {
  const compare = (instant: number) => {
    const other = localDay(instant, timeZone);
    return other < day ? -1 : other > day ? 1 : 0;
  };
  return {
    day,
    start: firstInstant(at - 26 * HOUR_MS, at, (t) => compare(t) >= 0),
    end: firstInstant(at, at + 26 * HOUR_MS, (t) => compare(t) > 0),
  };
}

/** Finds the first instant for which `reached` is true by bisection. It must be false for `before`. */
function firstInstant(before: number, after: number, reached: (instant: number) => boolean): number {
  let low = before;
  let high = after;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (reached(middle)) high = middle;
    else low = middle;
  }
  return high;
}
