import { namesText } from '../formats/csv/csv-rows.ts';
import { headerIsData } from '../formats/csv/header.ts';
import { pathText } from '../formats/json/find-records.ts';
import type { Sample } from '../formats/sample.ts';
import { InputError } from '../input/input-error.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { ColumnTypes } from '../record/cell-type.ts';
import { checkSamples, type SampleCheck } from './check-sample.ts';
import type { Flag } from './flag.ts';
import { type Profile, profilesOf } from './profile.ts';
import { withoutHeader } from './require-columns.ts';
import { type Candidates, candidatesFor } from './roles.ts';
import { type Suggestion, suggest } from './suggest.ts';
import { trialFlags } from './trial.ts';
import { decideTypes } from './types.ts';
import { cellFlags } from './value-flags.ts';

/** What a sample of the inputs shows. */
export interface Findings {
  readonly samples: readonly Sample[];
  readonly types: ColumnTypes;
  /** The first row of a table names its columns. */
  readonly header: boolean;
  readonly profiles: readonly Profile[];
  readonly candidates: Candidates;
  readonly suggestion: Suggestion;
  /** The suggested flags with something in place of what they leave open. */
  readonly trial: readonly Flag[];
  /** What those would do with the sample; undefined if they would be refused. */
  readonly check: SampleCheck | undefined;
  /** Why the suggested command would be refused. */
  readonly problem?: string | undefined;
}

/**
 * Describes samples, and suggests flags in addition to those of `mapping`. `mappingWith` returns the mapping of the flags
 * typed and of more. `columns`: the columns were named by a flag.
 */
export function findingsOf(
  given: readonly Sample[],
  mapping: Mapping,
  mappingWith: (flags: readonly Flag[]) => Mapping,
  columns = false,
): Findings {
  const isData = ({ header, rows }: Sample) =>
    header !== undefined && !columns && headerIsData(header, rows, mapping.kind);
  const headerless = given.length > 0 && given.every(isData);
  const samples = headerless ? given.map(withoutHeader) : given;
  const form: Flag[] = headerless ? [['columns', namesText(samples[0]!.header ?? [])]] : [];
  // With other flags, an array that was found could be looked for elsewhere.
  const recordsAt = given.find(({ input }) => input.recordsFound)?.input.recordsAt;
  if (recordsAt) form.push(['records', pathText(recordsAt)]);
  const cells = [...form, ...cellFlags(samples, mapping)];
  const read = mappingWith(cells);
  const types = decideTypes(samples, read);
  const profiles = profilesOf(samples, types, read);
  const candidates = candidatesFor(profiles, headerless);
  const json = samples.every(({ header }) => header === undefined);
  const found = (nested?: 'json') => {
    const suggestion = suggest(profiles, candidates, read, nested ? { json, nested } : { json });
    const flags = [...suggestion.flags, ...cells];
    const trial = trialFlags({ ...suggestion, flags });
    const outcome = checked(samples, { ...mappingWith(trial), columnTypes: types });
    return { suggestion: { ...suggestion, flags }, trial, ...outcome };
  };
  const flat = found();
  // Names of members may be too many, or clash once they are joined.
  const nested = flat.suggestion.flags.some(([name]) => name === 'nested');
  const text = nested && flat.check && flat.check.rejected > 0 ? found('json') : undefined;
  const better = text?.check && text.check.rejected < flat.check!.rejected ? text : flat;
  return { samples, types, profiles, candidates, header: headerless || columns ? false : !json, ...better };
}

function checked(samples: readonly Sample[], mapping: Mapping): Pick<Findings, 'check' | 'problem'> {
  try {
    return { check: checkSamples(samples, mapping) };
  } catch (error) {
    if (error instanceof InputError) return { check: undefined, problem: error.message };
    throw error;
  }
}
