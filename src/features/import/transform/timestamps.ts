import { isUtcDateTime } from '../../../contract/timestamp.ts';

/** A time in UTC, or the reason why the text cannot be converted. */
export type Converted =
  | {
      readonly ok: true;
      readonly utc: string;
      /** The text contained no zone, and UTC was assumed. */
      readonly zoneless?: true;
    }
  | { readonly ok: false; readonly reason: string };

const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ]\s*(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*([Zz]|[+-]\d\d(?::?\d\d)?)?$/;
const EPOCH = /^-?\d{1,15}(?:\.\d{1,9})?$/;
/** Epoch numbers below this are seconds (it is the year 5138), from here on milliseconds (it was March 1973). */
const MILLISECONDS_FROM = 1e11;
const YEAR_0 = Date.parse('0000-01-01T00:00:00Z');
const HOUR = 3_600_000;

/**
 * Converts a time to an ISO 8601 date-time in UTC, for `--convert-timestamps`. Accepts offsets, a space for the `T`,
 * missing seconds, a missing zone (read as `zone`, an IANA name) and epoch seconds or milliseconds. A time in UTC is
 * returned unchanged; a fraction keeps its digits. A local time that the zone skips is refused; of one that occurs
 * twice, the earlier is used, as with "compatible" in Temporal.
 */
export function toUtc(text: string, zone: string): Converted {
  if (isUtcDateTime(text)) return { ok: true, utc: text };
  const match = DATE_TIME.exec(text.trim());
  if (!match)
    return EPOCH.test(text.trim()) ? fromEpoch(text.trim()) : refuse(whyRefused(text, zone) ?? NOT_A_TIME);
  const [, year, month, day, hour, minute, second = '00', fraction, offset] = match;
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  const tail = fraction === undefined ? 'Z' : `.${fraction}Z`;
  if (!isUtcDateTime(`${local}Z`)) return refuse('is not a date and time of the calendar');
  if (offset === undefined && zone === 'UTC') return { ok: true, utc: local + tail, zoneless: true };
  const wall = Date.parse(`${local}Z`);
  const minutes = offset === undefined ? zoneOffset(wall, zone) : offsetMinutes(offset);
  if (minutes === undefined)
    return refuse(
      offset === undefined ? `does not exist in ${zone}: the clock skips it` : 'has an invalid offset',
    );
  return within(new Date(wall - minutes * 60_000), tail);
}

const NOT_A_TIME =
  'is not a time that can be converted; write 2025-12-31T13:45:00Z, 2025-12-31 13:45, either with an offset such as ' +
  '+02:00, or epoch seconds or milliseconds';

/**
 * Explains why a text that looks like a date is refused; undefined if it does not look like one. `zone` is the time zone
 * of times without one.
 */
export function whyRefused(text: string, zone = 'UTC'): string | undefined {
  if (/^\s*\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}(?!\d)/.test(text))
    return 'may be day/month or month/day: write the year first, such as 2025-12-31T13:45:00Z';
  if (/^\s*\d{4}-\d\d-\d\d\s*$/.test(text)) {
    const midnight = zone === 'UTC' ? 'T00:00:00Z' : ' 00:00';
    return `has no time of day: write ${text.trim()}${midnight} if the time does not matter`;
  }
  return undefined;
}

function refuse(reason: string): Converted {
  return { ok: false, reason };
}

function within(date: Date, tail: string): Converted {
  const utc = date.getTime() >= YEAR_0 ? date.toISOString().slice(0, 19) + tail : '';
  return isUtcDateTime(utc) ? { ok: true, utc } : refuse('is outside the years 0000 to 9999');
}

function fromEpoch(text: string): Converted {
  const value = Number(text);
  const [whole = '', fraction = ''] = text.split('.');
  if (Math.abs(value) >= MILLISECONDS_FROM) {
    const date = new Date(Math.floor(value));
    if (Number.isNaN(date.getTime())) return refuse('is outside the years 0000 to 9999');
    return within(date, `.${String(date.getUTCMilliseconds()).padStart(3, '0')}Z`);
  }
  if (Number(fraction) === 0) return within(new Date(Number(whole) * 1000), 'Z');
  if (value > 0) return within(new Date(Number(whole) * 1000), `.${fraction}Z`);
  // Before 1970 a fraction counts backwards, so the rest of the second is its complement.
  const complement = String(10 ** fraction.length - Number(fraction)).padStart(fraction.length, '0');
  return within(new Date((Number(whole) - 1) * 1000), `.${complement}Z`);
}

function offsetMinutes(offset: string): number | undefined {
  if (offset === 'Z' || offset === 'z') return 0;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(':', '') || '0');
  if (hours > 23 || minutes > 59) return undefined;
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();

/** Minutes that `zone` is ahead of UTC at the local time `wall` (its fields read as UTC); undefined where skipped. */
function zoneOffset(wall: number, zone: string): number | undefined {
  // The offset of the day before or after yields the same local time, unless the clock skips it. The larger offset is
  // the earlier of two instants.
  const candidates = [offsetAt(wall - 24 * HOUR, zone), offsetAt(wall + 24 * HOUR, zone)];
  const fitting = candidates.filter((minutes) => offsetAt(wall - minutes * 60_000, zone) === minutes);
  return fitting.length === 0 ? undefined : Math.max(...fitting);
}

/** Minutes ahead of UTC at an instant. Cached per quarter of an hour, as zones change only at these times. */
function offsetAt(instant: number, zone: string): number {
  const quarter = Math.floor(instant / (HOUR / 4));
  const key = `${zone} ${quarter}`;
  const cached = offsets.get(key);
  if (cached !== undefined) return cached;
  if (offsets.size > 50_000) offsets.clear();
  const at = quarter * (HOUR / 4);
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(at)
      .map((part) => [part.type, part.value]),
  );
  const local = Date.UTC(
    Number(parts.year),
    Number(parts.month) - 1,
    Number(parts.day),
    Number(parts.hour),
    Number(parts.minute),
    Number(parts.second),
  );
  const minutes = (local - at) / 60_000;
  offsets.set(key, minutes);
  return minutes;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

/** Returns whether a time zone is known, such as `Europe/Berlin`. */
export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}
