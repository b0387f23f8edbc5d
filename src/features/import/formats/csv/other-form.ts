import { shell } from '../../../../kit/shell.ts';
import { InputError } from '../../input/input-error.ts';
import type { Reading } from '../reading.ts';
import type { Dialect } from './csv-dialect.ts';
import { commonWidth, rowsOf, type SampleRow } from './sample-rows.ts';

/** A flag that names the form of a table, and its value. */
type FormFlag = readonly [name: 'delimiter' | 'quote', value: string];

/** A table that is written in another form than that of RFC 4180. A flag names it, and `otherwise` denies it. */
export class OtherForm extends InputError {
  readonly form: FormFlag;

  constructor(file: string, what: string, form: FormFlag, otherwise: FormFlag) {
    const [name, value] = form;
    const [other, denied] = otherwise;
    super(`${file} has ${what}.`, `name the form with --${name}`, {
      flags: { without: [name], more: [`--${name}`, value] },
      note: `if they are part of the values: ${shell`--${other} ${denied}`}`,
    });
    this.name = 'OtherForm';
    this.form = form;
  }
}

/** Fewest rows that show a form. */
const MIN_ROWS = 3;
/** Share of the rows below the header that must have a cell in single quotes. */
const MIN_QUOTED = 0.8;
/** Delimiters that a space may follow. */
const SPACED = [',', ';', '|'];

/**
 * Throws an OtherForm where cells are enclosed in single quotes, or where a space follows every delimiter: both would
 * become part of the values. `head` begins with the table; what a flag says is not asked.
 */
export function requireForm(
  file: string,
  head: Buffer,
  { delimiter, isTable }: Pick<Dialect, 'delimiter' | 'isTable'>,
  given: Reading,
): void {
  const { quote } = given;
  const plain = rowsOf(head, 0, delimiter, quote);
  if (quote === undefined) {
    const single = rowsOf(head, 0, delimiter, 'single');
    const quoted = plain.filter((row) => hasSingleQuotes(row, delimiter)).length;
    if (quoted >= (plain.length - 1) * MIN_QUOTED && fitting(single) >= Math.max(MIN_ROWS, fitting(plain)))
      throw new OtherForm(file, 'cells in single quotes', ['quote', 'single'], ['quote', 'double']);
  }
  if (given.delimiter !== undefined) return;
  // Spaces alone may have been taken for the delimiter.
  for (const mark of delimiter === ' ' || !isTable ? SPACED : SPACED.filter((one) => one === delimiter)) {
    const form = `${mark} `;
    const spaced = rowsOf(head, 0, form, quote);
    const isSpaced = spaced.every((row) => !row.isBroken && isEachSpaced(row, mark));
    if (isSpaced && fitting(spaced) === spaced.length && spaced.length >= MIN_ROWS)
      throw new OtherForm(file, `a space after every ${mark}`, ['delimiter', form], ['delimiter', mark]);
  }
}

/** The number of rows that are one table. */
function fitting(rows: readonly SampleRow[]): number {
  const width = commonWidth(rows);
  return width < 2 ? 0 : rows.filter(({ cells, isBroken }) => !isBroken && cells.length === width).length;
}

/** Returns whether a row has a cell in single quotes, outside of double ones. */
function hasSingleQuotes({ text }: SampleRow, delimiter: string): boolean {
  const mark = delimiter.replace(/[|\\^$.*+?()[\]{}]/g, '\\$&');
  const inSingle = new RegExp(`(^|${mark})'(?:[^']|'')*'(?=${mark}|$)`);
  return inSingle.test(withoutDouble(text));
}

/** Returns whether a row has a delimiter, and none without a space. */
function isEachSpaced({ text }: SampleRow, delimiter: string): boolean {
  const marks = withoutDouble(text).split(delimiter).slice(1);
  return marks.length > 0 && marks.every((after) => after.startsWith(' '));
}

/** The text of a row without what is in double quotes. */
function withoutDouble(text: string): string {
  return text.replace(/"(?:[^"]|"")*"/g, '"');
}
