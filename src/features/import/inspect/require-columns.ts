import type { Sample } from '../read/sample.ts';
import { InputError } from '../transform/input-error.ts';
import type { Mapping } from '../transform/mapping.ts';
import { MissingColumns } from '../transform/missing-columns.ts';
import { recordMappers } from '../transform/record-mappers.ts';
import { columnNames, headerIsData } from './header.ts';
import { profilesOf } from './profile.ts';
import { candidatesFor } from './roles.ts';
import { type Suggestion, suggest, wordsOfFlags } from './suggest.ts';

/**
 * Verifies that a table has the columns that the flags and the service require. Throws an InputError with the flags that
 * its names and contents suggest.
 */
export function requireColumns(sample: Sample, mapping: Mapping): void {
  const { header, input } = sample;
  if (!header) return;
  try {
    recordMappers(mapping).rows([...header], input.name);
  } catch (error) {
    if (!(error instanceof MissingColumns)) throw error;
    if (headerIsData(header, sample.rows, mapping.kind)) throw noHeader(sample, mapping);
    throw error.withFlags((map) => suggested(sample, { ...mapping, map }));
  }
}

function suggested(sample: Sample, mapping: Mapping): { flags: string[]; note: string | undefined } {
  const profiles = profilesOf([sample], mapping.columnTypes ?? new Map());
  const suggestion = suggest(profiles, candidatesFor(profiles), mapping, false);
  return { flags: wordsOfFlags(suggestion.flags), note: ambiguityNote(suggestion) };
}

/** Explains the placeholders of a suggested command. */
export function ambiguityNote({ ambiguities }: Pick<Suggestion, 'ambiguities'>): string | undefined {
  if (ambiguities.length === 0) return undefined;
  const parts = ambiguities.map(({ flag, choices }) => {
    const placeholder = /[A-Z_]+$/.exec(flag)?.[0] ?? flag;
    return choices.length > 0
      ? `${placeholder} is one of ${choices.join(', ')}`
      : `${placeholder} is yours to name`;
  });
  return `replace what is in capitals: ${parts.join('; ')}`;
}

/** The first row would be lost as a header. */
function noHeader({ header, input, rows, ...rest }: Sample, mapping: Mapping): InputError {
  const names = columnNames(header!.length);
  const renamed = { ...rest, input, header: names, rows: [[...header!], ...rows] };
  const { flags, note } = suggested(renamed, { ...mapping, map: [], columnTypes: undefined });
  const first = header!.slice(0, 6).join(', ').slice(0, 80);
  return new InputError(
    `${input.name} seems to have no header: its first row is like the rows below it (${first}).`,
    'Name its columns with --columns.',
    { flags: { without: ['map', 'type'], more: ['--columns', names.join(','), ...flags] }, note },
  );
}
