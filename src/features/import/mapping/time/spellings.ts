import { MONTHS, midnight, nameIndex, offsetMinutes, type WallTime, WEEKDAYS } from './wall-time.ts';

const MONTH = `(?<name>${MONTHS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')}|Sept)\\.?`;
const WEEKDAY = `(?<weekday>${WEEKDAYS.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')})`;
const TIME =
  '(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9}))?)?(?:\\s?(?<half>[ap])\\.?m\\.?)?';
const ZONE = '(?<zone>Z|UTC|GMT|(?:UTC|GMT)?[+-]\\d\\d(?::?\\d\\d)?)';
/** The name of the zone after its offset. */
const NAMED_ZONE = '(?:(?<=[+-]\\d\\d:?\\d\\d)\\s+[A-Z]{3,5})?';
const DAY = '(?<day>\\d{1,2})';
const YEAR = '(?<year>\\d{4})';

/** The spellings that can mean one thing only: the year comes first, or the month is a word. Each has a time of day. */
const SPELLINGS: readonly RegExp[] = [
  // ISO 8601 and its relatives: 2000-10-10 13:55:36.123 +02:00, 2000/10/10 1:55 PM; of Go: 2000-10-10 13:55:36.1 +0200 CEST.
  `${YEAR}(?<separator>[-/.])(?<month>\\d{1,2})\\k<separator>${DAY}(?:T\\s*|\\s+)${TIME}(?:\\s*${ZONE})?${NAMED_ZONE}`,
  // The basic format of ISO 8601: 20001010T135536Z.
  `${YEAR}(?<month>\\d\\d)(?<day>\\d\\d)T(?<hour>\\d\\d)(?<minute>\\d\\d)(?:(?<second>\\d\\d)(?:[.,](?<fraction>\\d{1,9}))?)?${ZONE}?`,
  // RFC 1123 and RFC 5322: Tue, 10 Oct 2000 13:55:36 GMT; also 10-Oct-2000 13:55.
  `(?:${WEEKDAY},?\\s+)?${DAY}(?<separator>-|\\s+)${MONTH}\\k<separator>${YEAR},?\\s+${TIME}(?:\\s*${ZONE})?`,
  // The common log format: [10/Oct/2000:13:55:36 -0700].
  `\\[?${DAY}/${MONTH}/${YEAR}:${TIME}\\s+${ZONE}\\]?`,
  // The same without a zone, but not the first half of it, of which the second is in another column.
  `(?:\\[(?=.*\\]$))?${DAY}/${MONTH}/${YEAR}:${TIME}\\]?`,
  // Oct 10, 2000, 1:55:36 PM; and Date.prototype.toString of JavaScript: Tue Oct 10 2000 13:55:36 GMT+0200 (CEST).
  `(?:${WEEKDAY},?\\s+)?${MONTH}\\s+${DAY},?\\s+${YEAR},?\\s+${TIME}(?:\\s*${ZONE})?(?:\\s+\\([^()]*\\))?`,
  // ctime(3) and date(1): Tue Oct 10 13:55:36 2000, Tue Oct 10 13:55:36 +0000 2000.
  `${WEEKDAY}\\s+${MONTH}\\s+${DAY}\\s+${TIME}(?:\\s+${ZONE})?\\s+${YEAR}`,
].map((source) => new RegExp(`^${source}$`, 'i'));

/** Reads a date and time in one of the spellings that can mean one thing only; undefined if it is in none of them. */
export function readSpelling(text: string): WallTime | undefined {
  for (const spelling of SPELLINGS) {
    const groups = spelling.exec(text)?.groups;
    if (groups) return wallTimeOf(groups);
  }
  return undefined;
}

function wallTimeOf(groups: Record<string, string | undefined>): WallTime {
  const { year, month, name, day, hour, minute, second, fraction, half, weekday, zone } = groups;
  return {
    ...midnight(),
    year: Number(year),
    month: name === undefined ? Number(month) : nameIndex(MONTHS, name) + 1,
    day: Number(day),
    hour: Number(hour),
    minute: Number(minute),
    second: Number(second ?? '0'),
    fraction: fraction ?? '',
    halfDay: half === undefined ? undefined : half.toLowerCase() === 'p' ? 12 : 0,
    weekday: weekday === undefined ? undefined : nameIndex(WEEKDAYS, weekday),
    offset: zone === undefined ? undefined : offsetMinutes(zone),
  };
}
