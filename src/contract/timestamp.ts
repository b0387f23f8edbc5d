/** The form; that the date exists is checked below. */
export const UTC_DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;
/** The form of a time with any offset (RFC 3339, without leap seconds); that the date exists is checked below. */
export const DATE_TIME =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
/** Days of the months of a year that is not a leap year. */
export const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * True for an ISO 8601 UTC date-time in the format of the API: calendar date, `T`, time with seconds, `Z`
 * (specification: Event; docs/design-choices.md). The date must exist; leap seconds are not allowed.
 */
export function isUtcDateTime(text: string): boolean {
  return UTC_DATE_TIME.test(text) && startsWithDate(text);
}

/** True for a date-time with any offset, whose date exists. */
export function isDateTime(text: string): boolean {
  return DATE_TIME.test(text) && startsWithDate(text);
}

/** True for text that starts with a date of the calendar, such as 2026-02-28. */
export function startsWithDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)/.exec(text);
  if (!match) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && leap ? 29 : DAYS[month - 1]!);
}
