import { firstOf } from '../../../kit/first-of.ts';
import { nearest } from '../../../kit/nearest.ts';
import { shellWord } from '../../../kit/shell.ts';
import { InputError } from '../input/input-error.ts';
import { PLACEHOLDERS } from '../record/placeholders.ts';
import { FIELDS, REQUIRED_FIELDS } from '../record/record-kind.ts';
import { type MapRule, onlyColumn, ruleText, simpleRule } from './map-rules.ts';
import type { Mapping } from './mapping.ts';

/** Common names of columns that hold a required field. */
const COMMON_NAMES: Readonly<Record<string, RegExp>> = {
  userId: /user|customer|member|client|account|reviewer|uid|^id$/i,
  event: /event|action|activity|^evt?$/i,
  timestamp: /time(?![ _-]?zone)|date|stamp|_at$|[a-z]At$|^ts$/i,
};
/** Maximum number of names in a list, and of characters in a name. */
const MAX_NAMES = 30;
const MAX_CHARS = 60;
/** Maximum number of columns that are guessed: each guess compares a name with all columns. */
const MAX_GUESSES = 20;

/** How the flags and the required fields differ from the header of a CSV. */
interface ColumnCheck {
  /** The `--map` pairs whose column and field were swapped, as the user meant them. */
  readonly swapped: readonly (readonly [field: string, column: string])[];
  /** `--map` with those pairs corrected. */
  readonly map: readonly MapRule[];
  /** Required fields that no column or flag provides. */
  readonly fields: readonly string[];
  /** Those fields, and the columns that flags name and the header lacks. */
  readonly missing: readonly string[];
  readonly isAbsent: (column: string) => boolean;
}

/**
 * Reports columns that the flags or the service require and the header lacks: all of them at once, with the command
 * that names the columns as far as they can be guessed. `become`: the names that the columns become.
 */
export function missingColumns(
  header: readonly string[],
  become: readonly string[],
  mapping: Mapping,
  file: string,
): InputError | undefined {
  const check = checkColumns(header, become, mapping);
  if (check.missing.length === 0 && check.swapped.length === 0) return undefined;
  return new MissingColumns(header, check, mapping, file);
}

/** Flags for the required fields that no column provides, and a note about them. */
export interface FieldFlags {
  readonly flags: readonly string[];
  readonly note: string | undefined;
}

/** A table lacks columns. */
export class MissingColumns extends InputError {
  /**
   * Returns the error with flags that are suggested by the contents of the columns, given the corrected `--map`, instead
   * of by their names alone.
   */
  readonly withFlags: (suggest: (map: Mapping['map']) => FieldFlags) => InputError;

  constructor(
    header: readonly string[],
    check: ColumnCheck,
    mapping: Mapping,
    file: string,
    suggest?: (map: Mapping['map']) => FieldFlags,
  ) {
    const { flags, note } = suggestedFlags(header, check, mapping, suggest);
    super(
      `${problems(header, check, file)}.`,
      `svc ${[mapping.kind, 'import', file, ...flags].map(shellWord).join(' ')}`,
      { flags: { without: ['map', 'type'], more: flags }, note },
    );
    this.withFlags = (better) => new MissingColumns(header, check, mapping, file, better);
  }
}

function checkColumns(header: readonly string[], become: readonly string[], mapping: Mapping): ColumnCheck {
  const { kind, types, set, validate } = mapping;
  const names = new Set(header);
  const isAbsent = (column: string) => !names.has(column) && !set.has(column);
  const isSwapped = ({ target }: MapRule, column: string) =>
    isAbsent(column) && names.has(target) && FIELDS[kind].includes(column);
  const pairs = mapping.map.map((rule) => {
    const column = onlyColumn(rule);
    const swapped = column !== undefined && isSwapped(rule, column);
    return { swapped, rule: swapped ? simpleRule(column, rule.target) : rule };
  });
  const map = pairs.map(({ rule }) => rule);
  const given = new Set([...set.keys(), ...become, ...map.map(({ target }) => target)]);
  const fields = validate ? REQUIRED_FIELDS[kind].filter((field) => !given.has(field)) : [];
  const absent = map.flatMap((rule) => absentColumns(rule, isAbsent));
  const named = [...types.keys(), ...(mapping.drop ?? []), ...(mapping.where?.keys() ?? [])];
  const targets = new Set(map.map(({ target }) => target));
  return {
    swapped: pairs.flatMap(({ swapped, rule }) =>
      swapped ? [[rule.target, onlyColumn(rule)!] as const] : [],
    ),
    map,
    fields,
    missing: [
      ...new Set([...absent, ...named.filter((name) => isAbsent(name) && !targets.has(name)), ...fields]),
    ],
    isAbsent,
  };
}

/** The columns that a rule cannot do without: none where one of its alternatives is there. */
function absentColumns({ sources }: MapRule, isAbsent: (column: string) => boolean): string[] {
  const some = sources.some((parts) => !parts.some(isAbsent));
  return some ? [] : sources.flat().filter(isAbsent);
}

/** The flags of a command that would read the file, with a placeholder for each column that cannot be guessed. */
function suggestedFlags(
  header: readonly string[],
  check: ColumnCheck,
  mapping: Mapping,
  suggest: ((map: Mapping['map']) => FieldFlags) | undefined,
): FieldFlags {
  const { map, fields, isAbsent } = check;
  const { kind, types } = mapping;
  const used = new Set(map.flatMap(({ sources }) => sources.flat()));
  const free = header.filter(
    (name) => name !== '' && !used.has(name) && !REQUIRED_FIELDS[kind].includes(name),
  );
  let guesses = 0;
  const guess = (wanted: string, field = wanted): string => {
    if (++guesses > MAX_GUESSES) return PLACEHOLDERS.column;
    const found = nearestColumn(wanted, free) ?? free.find((name) => COMMON_NAMES[field]?.test(name));
    if (found === undefined) return PLACEHOLDERS.column;
    free.splice(free.indexOf(found), 1);
    return found;
  };
  const rules = map.map((rule) => {
    const column = onlyColumn(rule);
    const absent = column !== undefined && isAbsent(column);
    return absent ? simpleRule(rule.target, guess(column, rule.target)) : rule;
  });
  const mapped = rules.flatMap((rule) => ['--map', ruleText(rule)]);
  const better = suggest?.(rules);
  const required =
    better?.flags ??
    fields.flatMap((field) => {
      const column = guess(field);
      return column === PLACEHOLDERS.column && field === 'event'
        ? ['--set', `event=${PLACEHOLDERS.set.event}`]
        : ['--map', `${field}=${column}`];
    });
  const typed = [...types].flatMap(([column, type]) => [
    '--type',
    `${isAbsent(column) ? guess(column) : column}=${type}`,
  ]);
  return {
    flags: [...mapped, ...required, ...typed],
    note: better ? better.note : timestampNote(check, mapping),
  };
}

function problems(header: readonly string[], { swapped, missing }: ColumnCheck, file: string): string {
  const found: string[] = [];
  if (swapped.length > 0) {
    const typed = swapped.map(([field, column]) => shellWord(`${column}=${field}`.slice(0, 2 * MAX_CHARS)));
    found.push(`--map ${typed.join(', ')} is the other way round: the field comes first`);
  }
  if (missing.length > 0)
    found.push(
      `${file} has no ${missing.length === 1 ? 'column' : 'columns'} ${listed(missing)}. It has: ${listed(header)}`,
    );
  return found.join('; ');
}

/** Suggests a conversion where the format of the column for `timestamp` is not known. */
function timestampNote({ swapped, missing, map }: ColumnCheck, { convert }: Mapping): string | undefined {
  const names = new Set([...missing, ...swapped.map(([field]) => field)]);
  const sources = map.filter(({ target }) => target === 'timestamp').flatMap((rule) => rule.sources.flat());
  const concerned = ['timestamp', ...sources].some((name) => names.has(name));
  return convert === undefined && concerned
    ? 'add --convert-timestamps where its times are not written as 2026-01-31T12:00:00Z, ' +
        'and --time-zone Europe/Berlin where they are as of there'
    : undefined;
}

/** Finds a column whose name differs in case, in separators or in up to two letters. */
function nearestColumn(wanted: string, names: readonly string[]): string | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return nearest(
    names,
    (name) => [plain(name), plain(wanted)],
    () => Math.min(2, plain(wanted).length / 3),
  );
}

/** Shortens a name for an error message. */
export function shortName(name: string): string {
  return name.slice(0, MAX_CHARS);
}

/** Lists names for an error message. */
export function listed(names: readonly string[]): string {
  const short = names.map((name) => shortName(name) || '(no name)');
  return firstOf(short, MAX_NAMES);
}
