import { MAX_NAME } from '../../../contract/limits.ts';
import { isIdentifierName } from '../mapping/column-types.ts';
import { SERIAL } from '../mapping/time/serial.ts';
import type { FormatFit } from './fitting-formats.ts';
import {
  eventScore,
  isConnectionLog,
  isEventContext,
  isQuantityName,
  type NameScore,
  timeScore,
  userScore,
} from './names.ts';
import type { Profile } from './profile.ts';
import { areNumbers, isTimeOfDay, timesIn } from './times.ts';
import { NO_VALUE } from './value-flags.ts';

export type Role = 'userId' | 'event' | 'timestamp';

/** A column that could have a role, and why. */
export interface Candidate {
  readonly profile: Profile;
  readonly score: NameScore;
  readonly reason: string;
  /** The columns that are joined, if it takes several. */
  readonly parts?: readonly string[];
}

/** The columns that could have each role, the likeliest first. */
export interface Candidates {
  readonly userId: readonly Candidate[];
  readonly event: readonly Candidate[];
  readonly timestamp: readonly (Candidate & { readonly fits: readonly FormatFit[] })[];
}

/** From this score a column is suggested. */
export const SUGGESTED = 50;
/** From this score a column is one of the choices; below, a constant is likelier than any column. */
export const CHOICE = 28;
/** The score of a likely column that is only one of the choices. */
const ASKED = SUGGESTED - 5;
/** From this score a column has the name of the field. */
const NAMED = 100;
/** Two columns whose scores differ by less are equally likely. */
const MIN_LEAD = 3;
/** Columns after these are not judged. */
const MAX_COLUMNS = 1000;
/** From this score a name says that it is the user of the record, whatever the column holds. */
const NAMES_USER = 96;
/** With fewer records, what is different in each may be so by chance. */
const MIN_VALUES = 20;
/** With as many records, one value in all of them is asked about. */
const MIN_CONSTANT = 5;

/**
 * Judges which columns could be the user, the event and the time of a record, by their names and contents. `unnamed`: the
 * table has no header, so that only the contents of a column can say that it holds times.
 */
export function candidatesFor(profiles: readonly Profile[], unnamed = false): Candidates {
  const filled = profiles
    .filter(({ values, type }) => values.length > 0 && type !== 'array' && type !== 'object')
    .slice(0, MAX_COLUMNS);
  const amongEvents = isEventContext(filled.map(({ name }) => name));
  const fits = new Map(filled.map((profile) => [profile.name, fitsOf(profile)]));
  // Numbers are times only where the name says so.
  const isTime = (profile: Profile) =>
    fits.get(profile.name)!.length > 0 &&
    (timeScore(profile.name) > 0 ||
      !areNumbers(profile.values) ||
      (unnamed && fits.get(profile.name)!.some(looksLikeNothingElse)));
  const others = filled.filter((profile) => !isTime(profile));
  const connections = isConnectionLog(filled.map(({ name }) => name));
  const users = connections ? others.filter(({ name }) => name !== 'uid') : others;
  const times = filled.filter(isTime).map((profile) => ({
    ...timeCandidate(profile, fits.get(profile.name)!),
    fits: fits.get(profile.name)!,
  }));
  return {
    userId: sorted(users.map(userCandidate)),
    event: sorted(others.map((profile) => eventCandidate(profile, amongEvents))),
    timestamp: sorted([...times, ...composedTimes(times, others, unnamed)]),
  };
}

/** How the values of a column can be read as times: as days of a spreadsheet only where its name says that it has dates. */
function fitsOf(profile: Profile): readonly FormatFit[] {
  const fits = timesIn(profile);
  return DATE_NAME.test(profile.name) ? fits : fits.filter(({ format }) => format !== SERIAL);
}

function sorted<T extends Candidate>(candidates: readonly T[]): readonly T[] {
  return candidates.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score);
}

function userCandidate(profile: Profile): Candidate {
  const { name, values, type, distinct } = profile;
  let score = userScore(name);
  const generic = score < 30;
  const allDifferent = distinct === values.length && values.length > 1;
  if (type === 'boolean' || type === 'mixed') score = 0;
  if (type === 'number' && values.some((value) => !/^\d+$/.test(value))) score = 0;
  if (areTooLong(values) || values.every((value) => /^([[{]|https?:\/\/)/.test(value))) score = 0;
  if (areAmounts(values) || (isConstant(profile) && score < NAMES_USER)) score = 0;
  // An ID that differs in every record names the record.
  if (generic && allDifferent) score = Math.min(score, 10);
  // One that comes again and again names what the records are about.
  else if (generic && score > 0 && values.length >= 10 && distinct < values.length / 2) score = 56;
  else if (allDifferent && values.length >= MIN_VALUES) score -= 8;
  if (type === 'number') score -= 6;
  if (isConstant(profile)) score -= 10;
  // One value everywhere is rather the account of all users, and so may be what is different in each record their own id.
  else if (distinct === 1 && values.length >= MIN_CONSTANT && score < NAMES_USER)
    score = Math.min(score, ASKED);
  else if (name === 'uid' && allDifferent && values.length >= MIN_VALUES) score = Math.min(score, ASKED);
  return candidate(profile, score, `${distinct} different in ${values.length} records`);
}

function eventCandidate(profile: Profile, amongEvents: boolean): Candidate {
  const { name, values, type, total, distinct } = profile;
  let score = eventScore(name, amongEvents);
  if (type !== 'string' && type !== 'number') score = 0;
  if (type === 'number') score = score < 80 ? 0 : score - 30;
  if (areTooLong(values) || values.every((value) => /^(true|false|[[{].*)$/is.test(value))) score = 0;
  // Addresses of pages are what the events are about.
  if (values.every((value) => /^(\/|https?:)/.test(value))) score = 0;
  if (isConstant(profile)) score -= 10;
  // A name of an event comes again, less often where the column says that it has one.
  const most = values.length * (score >= NAMED ? 0.75 : 0.25);
  if (total >= MIN_VALUES && distinct > Math.max(20, most)) score = Math.min(score - 60, 40);
  return candidate(profile, score, `${distinct} different in ${values.length} records`);
}

/** Returns whether all records have one value, of enough records to say so. */
function isConstant({ distinct, total }: Profile): boolean {
  return distinct === 1 && total >= MIN_VALUES;
}

/** A sum of money or another number with decimals, such as `€ 1.306,50`. */
const AMOUNT = /^[^\p{L}\d]*(\d+|\d{1,3}([.,'’\s]\d{3})+)[.,]\d{1,2}[^\p{L}\d]*$/u;

/** Returns whether half of the values or more are numbers with decimals. */
function areAmounts(values: readonly string[]): boolean {
  return values.filter((value) => AMOUNT.test(value)).length * 2 >= values.length;
}

/**
 * Returns whether the contents of a column could name users or events where no name of a column does: texts or whole numbers
 * that come again, and neither times nor sums by their name.
 */
export function couldName(profile: Profile): boolean {
  const { name, type, values, distinct } = profile;
  if (distinct <= 1 || distinct >= values.length || timeScore(name) > 0 || isQuantityName(name)) return false;
  if (type === 'number') return isIdentifierName(name) || values.every((value) => /^\d+$/.test(value));
  return type === 'string' && !areAmounts(values) && !areTooLong(values);
}

/** Most of the values are longer than a user or an event may be. */
function areTooLong(values: readonly string[]): boolean {
  return values.filter((value) => value.length > MAX_NAME).length * 2 > values.length;
}

/** Numbers that hardly count anything else: epochs of this time, and dates from the year on. */
function looksLikeNothingElse({ format, first }: FormatFit): boolean {
  return format === null ? first > FIRST_EPOCH : format.startsWith('YYYYMMDD');
}

/** Epochs before are rather numbers of 9 digits. */
const FIRST_EPOCH = '1990';

function timeCandidate(profile: Profile, fits: readonly FormatFit[]): Candidate {
  let score = timeScore(profile.name) || 25;
  if (fits.every(({ dateOnly }) => dateOnly)) score -= 6;
  // Numbers that may be days count for less than times.
  if (fits.every(({ format }) => format === SERIAL)) score = Math.min(score, CHOICE);
  if (profile.distinct === 1 && profile.total >= 5) score -= 15;
  return candidate(profile, score, `times in ${profile.values.length} records`);
}

function candidate(profile: Profile, score: NameScore, reason: string): Candidate {
  const { name, total, values } = profile;
  const depth = name.split('.').length - 1;
  const without = total - values.length + values.filter((value) => NO_VALUE.has(value)).length;
  const partly = without === total ? 100 : Math.round((60 * without) / Math.max(1, total));
  const hidden = name.startsWith('_') ? 10 : 0;
  return { profile, score: score <= 0 ? 0 : score - 2 * depth - partly - hidden, reason };
}

/** Names of columns with dates, in several languages. */
const DATE_NAME = /date|datum|day|fecha|datetime|timestamp/i;
/** Names of columns with a time of day, in several languages. */
const CLOCK_NAME =
  /time|hour|uhr|zeit|heure|hora|tijd|godzina|время|час|(?<!\p{L})(ora|orario|tid|saat)(?!\p{L})/iu;

/** Joins a date with a time of day in another column, where no column has both. */
function composedTimes(
  times: Candidates['timestamp'],
  others: readonly Profile[],
  unnamed: boolean,
): Candidates['timestamp'] {
  if (times.some(({ fits, score }) => score >= SUGGESTED && fits.some(({ dateOnly }) => !dateOnly)))
    return [];
  const bracketed = bracketedTimes(others);
  if (bracketed.length > 0) return bracketed;
  const date = sorted(times)[0];
  const clock = others.find(
    ({ name, values, empty }) =>
      empty === date?.profile.empty &&
      (unnamed ? values.every((value) => value.includes(':')) : CLOCK_NAME.test(name)) &&
      values.every(isTimeOfDay),
  );
  if (!date || !clock) return [];
  return joined(date.profile, clock);
}

/** A time in brackets, as access logs have it, is cut at the space before its zone. */
function bracketedTimes(profiles: readonly Profile[]): Candidates['timestamp'] {
  const at = profiles.findIndex(
    ({ values }, i) =>
      values.every((value) => value.startsWith('[')) &&
      profiles[i + 1]?.values.every((value) => value.endsWith(']')),
  );
  return at < 0 ? [] : joined(profiles[at]!, profiles[at + 1]!);
}

function joined(date: Profile, clock: Profile): Candidates['timestamp'] {
  const values = date.values.map((value, index) => `${value} ${clock.values[index]}`);
  const profile = { ...date, values };
  const fits = timesIn(profile);
  const parts = [date.name, clock.name];
  return fits.length > 0 ? [{ profile, fits, parts, score: 95, reason: `joined with ${clock.name}` }] : [];
}

/** The likeliest column; undefined where none is likely, or where two are equally likely. */
export function likeliest<T extends Candidate>(candidates: readonly T[]): T | undefined {
  const [first, ...others] = candidates;
  if (!first || first.score < SUGGESTED) return undefined;
  // Members of one object name the same thing, such as actor.login and actor.id.
  const parent = parentOf(first);
  const rival = others.find((other) => parent === '' || parentOf(other) !== parent);
  return rival && first.score - rival.score < MIN_LEAD ? undefined : first;
}

function parentOf({ profile: { name } }: Candidate): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('.')));
}
