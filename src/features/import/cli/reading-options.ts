import { SvcError } from '../../../cli/errors/svc-error.ts';
import { cellsOf } from '../read/csv/csv-rows.ts';
import { encodingName } from '../read/encoding.ts';
import { parsePath } from '../read/json/find-records.ts';
import type { Reading } from '../read/reading.ts';
import type { ImportFlags } from './flags.ts';

/** Longest delimiter, in characters. */
const MAX_DELIMITER = 16;

/** Parses the flags that say how inputs are read. Throws a `usage` error. */
export function readingOf(flags: Pick<ImportFlags, 'records' | 'columns' | 'encoding' | 'format'>): Reading {
  const { records, columns, encoding, format } = flags;
  if (records !== undefined && format !== undefined && format !== 'json')
    throw new SvcError('usage', `--records is the path of an array in JSON, and --format is ${format}`, {
      hint: 'leave out --format, or use --format json',
    });
  return {
    records: records === undefined ? undefined : parsePath(records),
    columns: columns === undefined ? undefined : columnsOf(columns),
    encoding: encoding === undefined ? undefined : encodingOf(encoding),
  };
}

function columnsOf(text: string): string[] {
  const names = cellsOf(text, ',', text.includes('"'));
  const second = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (second !== undefined)
    throw new SvcError('usage', `--columns names ${second} twice`, {
      hint: 'give each column its own name; a column without a name is left out, as in --columns userId,,date',
    });
  return names;
}

function encodingOf(label: string): string {
  const name = encodingName(label);
  if (name !== undefined) return name;
  throw new SvcError('usage', `--encoding ${label} is not a known encoding`, {
    hint: 'give a name such as --encoding windows-1252, utf-16le, shift_jis or gb18030',
  });
}

/** Parses `--delimiter`: characters, `tab` or `\t`. Throws a `usage` error. */
export function delimiterOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const delimiter = /^tab$/i.test(text) ? '\t' : text.replaceAll('\\t', '\t');
  if (delimiter !== '' && delimiter.length <= MAX_DELIMITER && !/["\r\n\0]/.test(delimiter)) return delimiter;
  throw new SvcError('usage', `--delimiter ${text} cannot separate cells`, {
    hint: `give 1 to ${MAX_DELIMITER} characters without quotes and line breaks, such as --delimiter ';' or --delimiter tab`,
  });
}
