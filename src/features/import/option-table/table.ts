import { SvcError } from '../../../cli/errors/svc-error.ts';
import { onlyColumn } from '../mapping/map-rules.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { isTimeZone } from '../mapping/time/zones.ts';
import { REQUIRED_FIELDS, type RecordKind } from '../record/record-kind.ts';
import { importFlags, type MappingFlags } from './flags.ts';
import type { Effect, Given, Parts, Sent } from './option.ts';

/** A flag of the table. */
export interface Option extends Effect {
  readonly flag: string;
  readonly type: 'option' | 'boolean';
  readonly multiple?: boolean;
  readonly default?: unknown;
}

/** All flags of `events import` and `users import`. */
export const OPTIONS: readonly Option[] = Object.entries(importFlags).map(([flag, definition]) => ({
  ...(definition as Omit<Option, 'flag'>),
  flag,
}));

/** The options that determine what is sent, with the flag of each. */
export const SENT: readonly (Sent & { readonly flag: string })[] = OPTIONS.flatMap(({ flag, sent }) =>
  sent ? [{ flag, ...sent }] : [],
);

/** The flags that type the option with this key of the journal: its own, and those within it. */
export function flagsOfKey(key: string): string[] {
  return OPTIONS.filter(
    ({ sent, within }) => sent?.key === key || (within as readonly string[] | undefined)?.includes(key),
  ).map(({ flag }) => flag);
}

/** Parses the flags of one part of the import. Throws a `usage` error. */
export function partOfFlags<P extends keyof Parts>(part: P, flags: object, given: Given): Parts[P] {
  const values = flags as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    SENT.filter((option) => option.part === part).map(({ key, flag, parse }) => [
      key,
      parse(values[flag], given),
    ]),
  ) as unknown as Parts[P];
}

/** Parses the flags that say how inputs are read. Throws a `usage` error. */
export function readingOf(flags: Pick<MappingFlags, 'format'>) {
  return partOfFlags('reading', flags, { kind: 'events', zone: 'UTC', format: flags.format });
}

/** Parses the flags that map records. Throws a `usage` error. */
export function mappingOf(kind: RecordKind, flags: MappingFlags, onZoneless: Mapping['onZoneless']): Mapping {
  const { format, 'time-zone': named } = flags;
  const zone = named ?? 'UTC';
  if (!isTimeZone(zone))
    throw new SvcError('usage', `--time-zone ${zone} is not a time zone`, {
      hint: 'give an IANA name, such as --time-zone Europe/Berlin',
    });
  if (named !== undefined && flags['timestamp-format'] === undefined && !flags['convert-timestamps'])
    throw new SvcError('usage', '--time-zone needs --convert-timestamps or --timestamp-format', {
      hint: (invocation) => invocation.rerunWith('--convert-timestamps'),
    });
  const mapping = {
    kind,
    onZoneless: named === undefined ? onZoneless : undefined,
    sourceIds: flags.sourceIds,
    ...partOfFlags('mapping', flags, { kind, zone, format }),
  };
  requireKeptFields(mapping);
  return mapping;
}

/** Refuses to leave out the only column of a required field: every record would be rejected. Throws `usage`. */
function requireKeptFields({ kind, validate, map, set, drop }: Mapping): void {
  const columnOf = (field: string) => {
    const rule = map.find(({ target }) => target === field);
    return rule ? onlyColumn(rule) : field;
  };
  const field = REQUIRED_FIELDS[kind].find((name) => !set.has(name) && drop?.has(columnOf(name) ?? ''));
  if (!validate || field === undefined) return;
  throw new SvcError('usage', `--drop ${columnOf(field)} leaves out the ${field} of all records`, {
    hint: `take it out of --drop, or name another column: --map ${field}=…, or a constant: --set ${field}=…`,
  });
}
