import { nearest } from '../../../kit/nearest.ts';
import { shellWord } from '../../../kit/shell.ts';
import { InputError } from './input-error.ts';
import type { Mapping } from './mapping.ts';
import { FIELDS, REQUIRED_FIELDS } from './record-kind.ts';

/** What a column is often called that holds a required field. */
const OFTEN: Readonly<Record<string, RegExp>> = {
  userId: /user|customer|member|client|account|reviewer|uid|^id$/i,
  event: /event|action|activity|^evt?$/i,
  timestamp: /time(?![ _-]?zone)|date|stamp|_at$|[a-z]At$|^ts$/i,
};
/** Most names listed, and most characters of each. */
const MOST_NAMES = 30;
const MOST_CHARS = 60;
/** Most names for which a column is guessed: each is held against all there are. */
const MOST_GUESSES = 20;

/**
 * What is wrong where columns are missing that the flags or the service ask for: all of them at once, what there is
 * instead, and the flags that name it as far as they can be guessed. `become`: the names that the columns become.
 */
export function missingColumns(
  header: readonly string[],
  become: readonly string[],
  mapping: Mapping,
  file: string,
): InputError | undefined {
  const { kind, types, set, validate, convert } = mapping;
  const names = new Set(header);
  const absent = (column: string) => !names.has(column) && !set.has(column);
  const reversed = [...mapping.map].filter(
    ([column, field]) => absent(column) && names.has(field) && FIELDS[kind].includes(column),
  );
  const backward = new Set(reversed.map(([column]) => column));
  const turned = ([column, field]: [string, string]): [string, string] =>
    backward.has(column) ? [field, column] : [column, field];
  const map = new Map([...mapping.map].map(turned));
  const given = new Set([...set.keys(), ...become, ...map.values()]);
  const fields = validate ? REQUIRED_FIELDS[kind].filter((field) => !given.has(field)) : [];
  const missing = [...new Set([...map.keys(), ...types.keys()].filter(absent).concat(fields))];
  if (missing.length === 0 && reversed.length === 0) return undefined;

  const free = header.filter(
    (name) => name !== '' && !map.has(name) && !REQUIRED_FIELDS[kind].includes(name),
  );
  let guesses = 0;
  const guess = (wanted: string, field = wanted): string => {
    if (++guesses > MOST_GUESSES) return 'COLUMN';
    const near = nearestColumn(wanted, free) ?? free.find((name) => OFTEN[field]?.test(name));
    if (near === undefined) return 'COLUMN';
    free.splice(free.indexOf(near), 1);
    return near;
  };
  const flags: string[] = [];
  for (const [column, field] of map)
    flags.push('--map', `${field}=${absent(column) ? guess(column, field) : column}`);
  for (const field of fields) {
    const column = guess(field);
    if (column === 'COLUMN' && field === 'event') flags.push('--set', 'event=NAME');
    else flags.push('--map', `${field}=${column}`);
  }
  for (const [column, type] of types)
    flags.push('--type', `${absent(column) ? guess(column) : column}=${type}`);
  const unsure =
    convert === undefined &&
    [...missing, ...reversed.map(([column]) => column)].some(
      (name) => name === 'timestamp' || map.get(name) === 'timestamp',
    );
  const pairs = reversed.map(([column, field]) => shellWord(`${field}=${column}`.slice(0, 2 * MOST_CHARS)));
  const what = [
    ...(pairs.length > 0 ? [`--map ${pairs.join(', ')} is the other way round: the field comes first`] : []),
    ...(missing.length > 0
      ? [
          `${file} has no ${missing.length === 1 ? 'column' : 'columns'} ${listed(missing)}. It has: ${listed(header)}`,
        ]
      : []),
  ];
  return new InputError(
    `${what.join('; ')}.`,
    `svc ${[kind, 'import', file, ...flags].map(shellWord).join(' ')}`,
    {
      flags: { without: ['map', 'type'], more: flags },
      note: unsure
        ? 'add --convert-timestamps where its times are not written as 2026-01-31T12:00:00Z, ' +
          'and --time-zone Europe/Berlin where they are as of there'
        : undefined,
    },
  );
}

/** The name that differs from another in its case, its separators or two letters. */
function nearestColumn(wanted: string, names: readonly string[]): string | undefined {
  const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
  return nearest(
    names,
    (name) => [plain(name), plain(wanted)],
    () => Math.min(2, plain(wanted).length / 3),
  );
}

/** A name as far as it is shown. */
export function shortName(name: string): string {
  return name.slice(0, MOST_CHARS);
}

/** Names as far as they are shown. */
export function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => shortName(name) || '(no name)');
  const more = names.length - shown.length;
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '');
}
