import { shell } from '../../../kit/shell.ts';
import { columnNames } from '../formats/csv/access-logs.ts';
import { namesText } from '../formats/csv/csv-rows.ts';
import { headerIsData } from '../formats/csv/header.ts';
import type { Sample } from '../formats/sample.ts';
import { InputError } from '../input/input-error.ts';
import { columnsOf } from '../mapping/map-rules.ts';
import type { Mapping } from '../mapping/mapping.ts';
import { MissingColumns } from '../mapping/missing-columns.ts';
import { recordMappers } from '../mapping/record-mappers.ts';
import { isPlaceholder } from '../record/placeholders.ts';
import { ambiguityNote } from './ambiguity.ts';
import { type Flag, wordsOfFlags } from './flag.ts';
import { profilesOf } from './profile.ts';
import { candidatesFor } from './roles.ts';
import { suggest } from './suggest.ts';
import { decideTypes } from './types.ts';
import { cellFlags, pointedThousands } from './value-flags.ts';

/**
 * Verifies that a table has a header, unless `columns` were named, and the columns that the flags and the service require.
 * Throws an InputError with the flags that its names and contents suggest.
 */
export function requireColumns(sample: Sample, mapping: Mapping, columns = false): void {
  const { header, input } = sample;
  if (!header) {
    requireReplaced(sample, mapping);
    return;
  }
  const isData = input.format === 'csv' && !columns && headerIsData(header, sample.rows, mapping.kind);
  try {
    recordMappers(mapping)().rows(header, input.name);
    // One who names a column has seen the header.
    if (isData && !namesColumn(mapping, header)) throw noHeader(sample, mapping);
    requireThousands(sample, mapping);
  } catch (error) {
    if (!(error instanceof MissingColumns) || sample.rows.length === 0) throw error;
    if (isData) throw noHeader(sample, mapping);
    throw error.withFlags((map) => suggested(sample, { ...mapping, map }));
  }
}

/** Refuses to guess whether 1.306 is a number of thousands. */
function requireThousands(sample: Sample, mapping: Mapping): void {
  const column = sample.input.format === 'csv' ? pointedThousands(sample, mapping) : undefined;
  if (column === undefined) return;
  throw new InputError(
    `${sample.input.name} has decimal commas, so the points in ${column} may separate thousands.`,
    shell`add --decimal-comma, or --type ${`${column}=number`} where they are decimal points`,
    {
      flags: { without: [], more: ['--decimal-comma'] },
      note: shell`where they are decimal points: --type ${`${column}=number`}`,
    },
  );
}

function namesColumn({ map, types, drop, where }: Mapping, header: readonly string[]): boolean {
  const named = new Set([...columnsOf(map), ...types.keys(), ...(drop ?? []), ...(where?.keys() ?? [])]);
  return header.some((name) => named.has(name));
}

/** Refuses a path that was left as it was printed: in JSON, one that is nowhere is only missing. */
function requireReplaced({ texts, input }: Sample, { map }: Mapping): void {
  const open = columnsOf(map).find(
    (path) => isPlaceholder(path) && !texts.some((text) => text.includes(`"${path}"`)),
  );
  if (open === undefined) return;
  throw new InputError(
    `${input.name} has no ${open}, which stands for one of its paths.`,
    `Put the path in place of ${open}; svc events inspect lists them.`,
  );
}

function suggested(
  sample: Sample,
  mapping: Mapping,
  unnamed = false,
): { flags: string[]; note: string | undefined } {
  const cells = cellFlags([sample], mapping);
  // Columns are judged by the values that they have with those flags, as `inspect` judges them.
  const read = {
    ...mapping,
    nullTexts: new Set([...(mapping.nullTexts ?? []), ...valuesOf('null', cells)]),
    decimalComma: mapping.decimalComma || cells.some(([name]) => name === 'decimal-comma'),
    thousands: mapping.thousands ?? (valuesOf('thousands', cells)[0] as Mapping['thousands']),
  };
  const profiles = profilesOf([sample], decideTypes([sample], read), read);
  const suggestion = suggest(profiles, candidatesFor(profiles, unnamed), read, { json: false });
  return { flags: wordsOfFlags([...suggestion.flags, ...cells]), note: ambiguityNote(suggestion) };
}

function valuesOf(flag: string, flags: readonly Flag[]): string[] {
  return flags.flatMap(([name, value]) => (name === flag && value !== undefined ? [value] : []));
}

/** Returns the sample of a table without a header: its first row is data, and its columns are numbered. */
export function withoutHeader(sample: Sample): Sample & { readonly header: readonly string[] } {
  const { rows, records } = sample;
  const first = sample.first!;
  return {
    ...sample,
    header: columnNames(first),
    rows: [first, ...rows],
    typeRows: [first, ...rows],
    records: records + 1,
  };
}

/** The first row would be lost as a header. */
function noHeader(sample: Sample, mapping: Mapping): InputError {
  const { header, input } = sample;
  const renamed = withoutHeader(sample);
  const names = renamed.header;
  const { flags, note } = suggested(renamed, { ...mapping, map: [], columnTypes: undefined }, true);
  const first = header!.slice(0, 6).join(', ').slice(0, 80);
  return new InputError(
    `${input.name} seems to have no header: its first row is like the rows below it (${first}).`,
    'Name its columns with --columns.',
    { flags: { without: ['map', 'type'], more: ['--columns', namesText(names), ...flags] }, note },
  );
}
