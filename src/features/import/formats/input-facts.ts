import { InputError } from '../input/input-error.ts';
import type { InputInfo } from './open.ts';
import type { Reading } from './reading.ts';
import type { RecordSource } from './record-source.ts';

/** What a command needs to know that imports rejected records of an input again. */
export interface InputFacts {
  /** The names of the columns of a table that cannot be read again, and what separates its cells. */
  readonly columns?: readonly string[] | undefined;
  readonly delimiter?: string | undefined;
}

/** Describes an input of which `records` were read. */
export function inputFacts(
  { fingerprint }: InputInfo,
  { header, delimiter, trailing }: RecordSource,
): InputFacts {
  return fingerprint === null && header ? { columns: trailing ? [...header, ''] : header, delimiter } : {};
}

/** Refuses flags about CSV if no input is one: they would be ignored in silence. */
export function refuseCsvFlags(opened: readonly InputInfo[], reading: Reading): void {
  const flag = reading.columns ? 'columns' : reading.delimiter === undefined ? undefined : 'delimiter';
  const first = opened[0];
  if (flag === undefined || !first || opened.some(({ format }) => format === 'csv' || format === 'rejects'))
    return;
  throw new InputError(
    `--${flag} is for CSV, and ${first.name === '-' ? 'standard input' : first.name} is ${first.format === 'parquet' ? 'Parquet' : 'JSON'}.`,
    `leave out --${flag}`,
    { flags: { without: [flag], more: [] } },
  );
}
