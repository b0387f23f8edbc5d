import type { Sample } from '../read/sample.ts';
import { InputError } from '../transform/input-error.ts';
import type { ColumnTypes, Mapping } from '../transform/mapping.ts';
import { checkSamples, type SampleCheck } from './check-sample.ts';
import { type Profile, profilesOf } from './profile.ts';
import { type Candidates, candidatesFor } from './roles.ts';
import { type Flag, type Suggestion, suggest } from './suggest.ts';

/** What a sample of the inputs shows. */
export interface Findings {
  readonly samples: readonly Sample[];
  readonly types: ColumnTypes;
  readonly profiles: readonly Profile[];
  readonly candidates: Candidates;
  readonly suggestion: Suggestion;
  /** What the suggested command would do with the sample; undefined if it must be completed first. */
  readonly check: SampleCheck | undefined;
}

/**
 * Describes samples, and suggests flags in addition to those of `mapping`. `mappingWith` returns the mapping of the flags
 * typed and of more.
 */
export function findingsOf(
  samples: readonly Sample[],
  types: ColumnTypes,
  mapping: Mapping,
  mappingWith: (flags: readonly Flag[]) => Mapping,
): Findings {
  const profiles = profilesOf(samples, types);
  const candidates = candidatesFor(profiles);
  const json = samples.every(({ header }) => header === undefined);
  const suggestion = suggest(profiles, candidates, mapping, json);
  const complete = withoutOpenColumns(suggestion);
  const check = complete
    ? checked(samples, { ...mappingWith(suggestion.flags), columnTypes: types })
    : undefined;
  return { samples, types, profiles, candidates, suggestion, check };
}

/** A placeholder for a constant is a value like any other; one for a column or a format is not. */
function withoutOpenColumns({ ambiguities }: Suggestion): boolean {
  return ambiguities.every(({ flag }) => flag.startsWith('--set '));
}

function checked(samples: readonly Sample[], mapping: Mapping): SampleCheck | undefined {
  try {
    return checkSamples(samples, mapping);
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
