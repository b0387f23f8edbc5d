import { shellWord } from '../../../kit/shell.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { SERIAL } from '../mapping/time/serial.ts';
import { isTimeZone } from '../mapping/time/zones.ts';
import { PLACEHOLDERS } from '../record/placeholders.ts';
import type { Asked } from './ambiguity.ts';
import type { FormatFit } from './fitting-formats.ts';
import type { Flag } from './flag.ts';
import { isZoneName } from './names.ts';
import type { Profile } from './profile.ts';
import { timesIn } from './times.ts';

/** The flags that read times, and what they leave open. */
interface TimeFlags {
  readonly flags: readonly Flag[];
  readonly asked: readonly Asked[];
  /** How the times are read; undefined if that is open. */
  readonly time: FormatFit | undefined;
}

/** With years of two digits, times that are further apart are rather of two centuries. */
const MAX_YEARS = 60;
const SERIAL_MEANING = `is ${SERIAL}, if the numbers count days since 1900 as spreadsheets do`;
/** Maximum number of zones that are named. */
const MAX_ZONES = 5;

/**
 * The flags that read the times of a column, or of each of those that the user has to choose from; none that are typed.
 * Asks where the texts can be read in several ways, or in none that is known.
 */
export function timeFlags(
  columns: readonly Profile[],
  profiles: readonly Profile[],
  mapping: Mapping,
): TimeFlags {
  const readings = sharedForms(columns.map((profile) => timesIn(profile)));
  const [column] = columns;
  const only = readings.length === 1 ? readings[0]![0] : undefined;
  if (column === undefined) return { flags: [], asked: [], time: undefined };
  if (mapping.convert !== undefined || mapping.timestampFormat !== undefined)
    return { flags: [], asked: [], time: only };
  const flags: Flag[] = [];
  const asked: Asked[] = [];
  const fits = readings.flat();
  const formats = [...new Set(fits.flatMap(({ format }) => format ?? []))];
  const isSerial = formats.length === 1 && formats[0] === SERIAL;
  const far = formats.length === 1 ? fits.find(reachesTooFar) : undefined;
  const open =
    readings.some(({ length }) => length !== 1) || formats.length > 1 || isSerial || far !== undefined;
  // A time that does not have the format is read as this flag says.
  if (fits.some(({ flags: [name] }) => name === '--convert-timestamps')) flags.push(['convert-timestamps']);
  if (open) {
    const name = columns.length === 1 ? column.name : 'timestamp';
    asked.push({
      column: name,
      choices: formats,
      flag: ['timestamp-format', PLACEHOLDERS.timestampFormat],
      ...(isSerial && { meaning: SERIAL_MEANING }),
      ...(far && { meaning: farMeaning(far) }),
    });
  } else if (formats.length > 0) flags.push(['timestamp-format', formats[0]!]);
  if (fits.some(({ zoneless, dateOnly }) => zoneless && !dateOnly)) asked.push(...zoneQuestion(profiles));
  return { flags, asked, time: open ? undefined : only };
}

/** Returns whether years of two digits give times that are too far apart to be of one century. */
function reachesTooFar({ format, first, last }: FormatFit): boolean {
  return format !== null && /(?<!Y)YY(?!Y)/.test(format) && yearOf(last) - yearOf(first) > MAX_YEARS;
}

function farMeaning({ format, first, last }: FormatFit): string {
  return `is ${shellWord(format!)}, if the years of two digits are right as ${yearOf(first)} to ${yearOf(last)}`;
}

function yearOf(utc: string): number {
  return Number(utc.slice(0, 4));
}

/** Of columns of one file, one may decide the order of day and month for those that do not. */
function sharedForms(readings: readonly (readonly FormatFit[])[]): readonly (readonly FormatFit[])[] {
  const decided = new Set(readings.flatMap((fits) => (fits.length === 1 ? (fits[0]!.format ?? []) : [])));
  if (decided.size !== 1) return readings;
  return readings.map((fits) => {
    const shared = fits.filter(({ format }) => format !== null && decided.has(format));
    return shared.length > 0 ? shared : fits;
  });
}

/** Asks for the zone of times without one where another column names a zone that is not UTC. */
function zoneQuestion(profiles: readonly Profile[]): Asked[] {
  const column = profiles.find(
    ({ name, type, values }) => isZoneName(name) && type === 'string' && values.length > 0,
  );
  if (!column) return [];
  const zones = [...new Set(column.values)];
  if (zones.every((zone) => /^(UTC|GMT|Z)$/i.test(zone))) return [];
  const known = zones.filter((zone) => zone.includes('/') && isTimeZone(zone)).slice(0, MAX_ZONES);
  const choices = known.length > 0 ? [...known, 'UTC'] : [];
  return [{ column: column.name, choices, flag: ['time-zone', PLACEHOLDERS.timeZone] }];
}
