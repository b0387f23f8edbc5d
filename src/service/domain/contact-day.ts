import { Lru } from '../../kit/lru.ts';

const HOUR_MS = 3_600_000;

/** Formatters are dear (about 50 µs and 40 KB), so those of the zones in use are kept. */
const formatters = new Lru<string, Intl.DateTimeFormat>(400);

/** The day last asked for in each zone: nearly always the one that is asked for next. */
const spans = new Lru<string, DaySpan>(1000);

/** One name for every spelling: the letter case of a zone means nothing, and there are thousands of spellings. */
const named = (timeZone: string | undefined) => (timeZone ?? 'UTC').toLowerCase();

/**
 * The calendar day, such as `2026-03-29`, that an instant (Unix ms) falls on in an IANA time zone.
 * A zone that this machine does not know counts as UTC.
 */
export function localDay(at: number, timeZone: string | undefined): string {
  const zone = formatterOf(named(timeZone));
  const parts: Record<string, string> = {};
  for (const { type, value } of zone.formatToParts(at)) parts[type] = value;
  return `${parts.year}-${parts.month}-${parts.day}`;
}

/** A calendar day as instants, Unix ms: it holds `start` and ends just before `end`. */
export interface DaySpan {
  readonly day: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The calendar day around an instant in a time zone. It has 23 or 25 hours where the clocks change, whatever the hour
 * of the change: the ends are found by the date itself and never by adding 24 hours.
 */
export function dayAround(at: number, timeZone: string | undefined): DaySpan {
  const day = localDay(at, timeZone);
  const zone = named(timeZone);
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
    start: border(at - 26 * HOUR_MS, at, (t) => compare(t) >= 0),
    end: border(at, at + 26 * HOUR_MS, (t) => compare(t) > 0),
  };
}

/** The first instant for which `past` holds, between one for which it does not and one for which it may. */
function border(before: number, after: number, past: (instant: number) => boolean): number {
  let low = before;
  let high = after;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (past(middle)) high = middle;
    else low = middle;
  }
  return high;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = make(timeZone) ?? make('UTC')!;
  formatters.set(timeZone, made);
  return made;
}

function make(timeZone: string): Intl.DateTimeFormat | undefined {
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
