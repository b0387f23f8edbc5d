import { Lru } from '../../kit/lru.ts';

const HOUR_MS = 3_600_000;

/** Formatters by time zone. They are cached because each costs about 50 µs and 40 KB. */
const formatters = new Lru<string, Intl.DateTimeFormat>(400);

/** The last computed day of each zone, which is nearly always the next one needed. */
const spans = new Lru<string, DaySpan>(1000);

/** Zone names are case-insensitive; lower case keeps one cache entry per zone. */
const zoneKey = (timeZone: string | undefined) => (timeZone ?? 'UTC').toLowerCase();

/**
 * The calendar day, such as `2026-03-29`, that an instant (Unix ms) falls on in an IANA time zone.
 * A time zone unknown to this machine counts as UTC.
 */
export function localDay(at: number, timeZone: string | undefined): string {
  const zone = formatterOf(zoneKey(timeZone));
  const parts: Record<string, string> = {};
  for (const { type, value } of zone.formatToParts(at)) parts[type] = value;
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
  const zone = zoneKey(timeZone);
  const known = spans.get(zone);
  if (known?.day === day) return known;
  const span = findDay(day, at, timeZone);
  spans.set(zone, span);
  return span;
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

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = createFormatter(timeZone) ?? createFormatter('UTC')!;
  formatters.set(timeZone, made);
  return made;
}

function createFormatter(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-CA', {
      timeZone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  } catch {
    return undefined;
  }
}
