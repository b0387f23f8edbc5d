import { firstOf } from '../../../kit/first-of.ts';
import { InputError } from '../input/input-error.ts';
import { FIELDS } from '../record/record-kind.ts';
import { columnsOf } from './map-rules.ts';
import type { Mapping } from './mapping.ts';
import { shortName } from './missing-columns.ts';

/** Maximum number of renamed columns that a notice names. */
const MAX_NAMED = 5;

/**
 * Makes the names of columns unique: the second column `a` becomes `a_1`. Columns without a name keep none. Throws an
 * InputError if a field of the records has two columns, because either could be meant.
 */
export function uniqueNames(
  header: readonly string[],
  { kind, map }: Pick<Mapping, 'kind' | 'map'>,
  file: string,
): { readonly names: string[]; readonly notice: string | undefined } {
  const mapped = new Set(columnsOf(map));
  const taken = new Set(header);
  const seen = new Set<string>();
  const numbers = new Map<string, number>();
  const renamed: string[] = [];
  const names = header.map((name) => {
    if (name === '' || seen.size < seen.add(name).size) return name;
    if (mapped.has(name) || FIELDS[kind].includes(name))
      throw new InputError(
        `${file} has two columns named ${shortName(name)}.`,
        'Rename one of them in the header.',
      );
    let number = numbers.get(name) ?? 0;
    let unique: string;
    do unique = `${name}_${++number}`;
    while (taken.has(unique));
    numbers.set(name, number);
    taken.add(unique);
    renamed.push(`${shortName(name)} is imported as ${shortName(unique)}`);
    return unique;
  });
  if (renamed.length === 0) return { names, notice: undefined };
  return {
    names,
    notice: `${file} has columns of the same name: the second ${firstOf(renamed, MAX_NAMED)}.`,
  };
}
