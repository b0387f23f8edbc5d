import { shellPath } from '../../../../kit/shell.ts';
import { InputError } from '../../input/input-error.ts';

/** The error of a document whose rest cannot be read, from a byte on. */
export function brokenJson(file: string, line: number, at: number): InputError {
  return new InputError(
    `${file} is not valid JSON: line ${line}, byte ${at} of the file; the records after it cannot be found.`,
    file === '-' ? 'jq empty' : `jq empty ${shellPath(file)}`,
  );
}

/** The error of a document without the array that was named. */
export function noRecords({ file, path }: { file: string; path: readonly string[] }): InputError {
  return new InputError(
    `${file} has no array at ${path.join('.')}.`,
    file === '-' ? 'jq keys' : `jq keys ${shellPath(file)}`,
  );
}

/** The notice about arrays of objects beside the one that was read. */
export function othersText(file: string, path: readonly string[], others: readonly string[]): string {
  const left = [...new Set(others)].join(', ');
  return `${file} has records at ${path.join('.')}, which were read, and at ${left}, which were not (--records)`;
}
