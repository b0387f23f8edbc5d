import type { Field } from '../terminal/listing.ts';
import { Flags } from './oclif.ts';

/** The flag that selects the fields of a list. `dependsOn` names flags without which there is no list. */
export const fieldsFlag = (
  fields: readonly Pick<Field<never>, 'field'>[],
  more: { readonly dependsOn?: string[] } = {},
) =>
  Flags.string({
    summary: 'fields to show, in this order, also with --json',
    options: fields.map(({ field }) => field),
    multiple: true,
    multipleNonGreedy: true,
    delimiter: ',',
    helpValue: 'A,B',
    ...more,
  });

/** Flags of lists that may be long. */
export const limitFlag = Flags.integer({
  summary: 'maximum number of entries',
  default: 100,
  min: 1,
  max: 100_000,
  helpValue: 'N',
});
