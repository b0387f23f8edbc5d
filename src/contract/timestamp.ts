/** The form; that the date exists is checked below. */
export const UTC_DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;
/** Days of the months of a year that is not a leap year. */
export const DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * True for an ISO 8601 UTC date-time in the format of the API: calendar date, `T`, time with seconds, `Z`
 * (specification: Event; docs/design-choices.md). The date must exist; leap seconds are not allowed.
 */
export function isUtcDateTime(text: string): boolean {
  const match = UTC_DATE_TIME.exec(text);
  if (!match) return false;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  if (month < 1 || month > 12 || day < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return day <= (month === 2 && leap ? 29 : DAYS[month - 1]!);
}
