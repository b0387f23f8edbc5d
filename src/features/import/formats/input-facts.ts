import { InputError } from '../input/input-error.ts';
import type { InputInfo } from './open.ts';
import type { Format, Reading } from './reading.ts';
import type { RecordSource } from './record-source.ts';

/** What the commands need to know that import rejected records of an input. */
export interface InputFacts {
  readonly format: Format;
  readonly compression: InputInfo['compression'];
  readonly encoding: string;
  /** It is a file of its own, which can be read again. */
  readonly fromFile: boolean;
  /** The text of the header of a CSV, and its line from 1. */
  readonly header: string | undefined;
  readonly headerLine: number | undefined;
}

/** Describes an input. `records`: those that were read of it. */
export function inputFacts(input: InputInfo, records: RecordSource | undefined): InputFacts {
  const { format, compression, encoding, fingerprint, source } = input;
  const { headerText: header, headerLine } = records ?? {};
  return {
    format,
    compression,
    encoding,
    fromFile: fingerprint !== null && !source.entry,
    header,
    headerLine,
  };
}

/** Refuses flags about CSV if no input is one: they would be ignored in silence. */
export function refuseCsvFlags(opened: readonly InputInfo[], reading: Reading): void {
  const flag = reading.columns ? 'columns' : reading.delimiter === undefined ? undefined : 'delimiter';
  const first = opened[0];
  if (flag === undefined || !first || opened.some(({ format }) => format === 'csv')) return;
  throw new InputError(
    `--${flag} is for CSV, and ${first.name === '-' ? 'standard input' : first.name} is ${first.format === 'parquet' ? 'Parquet' : 'JSON'}.`,
    `leave out --${flag}`,
    { flags: { without: [flag], more: [] } },
  );
}
