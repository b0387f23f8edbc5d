import { isUtcDateTime } from '../../../../contract/timestamp.ts';
import { certainEpoch, fromEpoch } from './epochs.ts';
import { readSpelling } from './spellings.ts';
import { compileTimestampFormat } from './timestamp-formats.ts';
import { type Converted, midnight, offsetMinutes, refuse, wallTimeToUtc } from './wall-time.ts';

/** The most frequent form, read without the cost of the others. */
const DATE_TIME = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;

/** No spelling of a time is longer. */
const MAX_LENGTH = 80;

/**
 * Converts a time to an ISO 8601 date-time in UTC, for `--convert-timestamps`: the spellings that can mean one thing only
 * (time/spellings.ts), and numbers that can only be an epoch. A missing zone is read as `zone`, an IANA name. A time in UTC
 * is returned unchanged; a fraction keeps its digits.
 */
export function toUtc(text: string, zone: string): Converted {
  if (isUtcDateTime(text)) return { ok: true, utc: text };
  const match = DATE_TIME.exec(text);
  if (match) {
    const wall = midnight();
    wall.year = Number(match[1]);
    wall.month = Number(match[2]);
    wall.day = Number(match[3]);
    wall.hour = Number(match[4]);
    wall.minute = Number(match[5]);
    wall.second = Number(match[6]);
    wall.fraction = match[7] ?? '';
    wall.offset = match[8] === undefined ? undefined : offsetMinutes(match[8]);
    return wallTimeToUtc(wall, zone);
  }
  const trimmed = text.trim();
  const epoch = certainEpoch(trimmed);
  if (epoch) return fromEpoch(trimmed, epoch)!;
  const wall = trimmed.length > MAX_LENGTH ? undefined : readSpelling(trimmed);
  return wall ? wallTimeToUtc(wall, zone) : refuse(whyRefused(trimmed) ?? NOT_A_TIME);
}

const NOT_A_TIME =
  'is not a time that can be converted; write 2025-12-31T13:45:00Z, or name its form with --timestamp-format, such as ' +
  "--timestamp-format 'DD.MM.YYYY HH:mm'";

/** Explains why a text that looks like a date is refused; undefined if it does not look like one. */
export function whyRefused(text: string): string | undefined {
  const trimmed = text.trim();
  if (/^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}(?!\d)/.test(trimmed))
    return "may be day/month or month/day: name its form, such as --timestamp-format 'DD/MM/YYYY HH:mm'";
  if (/^\d{4}-\d\d-\d\d$/.test(trimmed))
    return 'has no time of day: --timestamp-format YYYY-MM-DD reads it as midnight';
  if (/^-?\d+(?:\.\d+)?$/.test(trimmed)) return numberRefused(trimmed);
  return undefined;
}

/** What a number of that many digits can be, other than an epoch. */
const COMPACT = new Map(
  ['YYMMDD', 'YYYYMMDD', 'YYYYMMDDHH', 'YYYYMMDDHHmm', 'YYYYMMDDHHmmss', 'YYYYMMDDHHmmssSSS'].map(
    (format) => [format.length, compileTimestampFormat(format)],
  ),
);

/** Explains why a number is not read as an epoch. */
function numberRefused(text: string): string {
  const compact = COMPACT.get(text.length);
  return compact?.parse(text, 'UTC').ok
    ? `is a number that may be a date or an epoch: name its form, such as --timestamp-format ${compact.format}`
    : 'is a number that need not be an epoch: name its unit, such as --timestamp-format epoch-s or epoch-ms';
}
