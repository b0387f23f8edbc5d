import { FIELDS, type RecordKind } from '../../record/record-kind.ts';

/** Forms of values that are hardly ever names of columns. */
const SHAPES: readonly RegExp[] = [
  /^[+-]?\d+([.,]\d+)?([eE][+-]?\d+)?$/,
  /^\d{4}[-/.]\d\d?[-/.]\d\d?([T ].*)?$/,
  /^\d\d?[-/.]\d\d?[-/.]\d{2,4}([T ,].*)?$/,
  /^\d\d?:\d\d(:\d\d(\.\d+)?)?( ?[AP]M)?$/i,
  /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i,
  /^[\da-f]{16,}$/i,
  /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i,
  /^\d{1,3}(\.\d{1,3}){3}$/,
  /^https?:\/\//i,
  /^(true|false)$/i,
];
/** Those that no name of a column has: times, identifiers, addresses. */
const CERTAIN = SHAPES.slice(1, -1);
const NOTHING = /^(|-|null|none|n\/?a|nan|\\n|\?)$/i;

/**
 * Returns whether the first row of a table looks like data: one of its cells has the form of the cells below it, or
 * occurs among them, and no cell is a name above values of another form.
 */
export function headerIsData(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  kind: RecordKind,
): boolean {
  if (header.some((name) => FIELDS[kind].includes(name))) return false;
  if (rows.length === 0) return header.some((cell) => CERTAIN.some((pattern) => pattern.test(cell)));
  const { data, names } = evidence(header, rows);
  return data > names;
}

/** Counts the cells of a row that are like those below it, and those that are names above values of another form. */
function evidence(
  header: readonly string[],
  all: readonly (readonly string[])[],
): { data: number; names: number } {
  // The header may come again, which few rows are.
  const other = all.filter((row) => row.some((cell, i) => cell !== header[i]));
  const again = new Set(other.filter((row) => isSameHeader(header, row)));
  const rows =
    again.size <= Math.max(1, other.length * MAX_AGAIN) ? other.filter((row) => !again.has(row)) : other;
  let data = 0;
  let names = 0;
  for (const [index, name] of header.entries()) {
    // A cell that comes twice was made unique as the name of a column.
    const plain = name.replace(/_\d+$/, '');
    const cell = header.indexOf(plain) >= 0 ? plain : name;
    const below = rows.map((row) => row[index] ?? '').filter((value) => !NOTHING.test(value));
    if (NOTHING.test(cell) || below.length === 0) continue;
    const shape = SHAPES.findIndex((pattern) => pattern.test(cell));
    const shared = shape >= 0 ? below.filter((value) => SHAPES[shape]!.test(value)).length : 0;
    if (shared * 2 > below.length) data += isNumberedColumn(cell, index, header) ? 0 : 1;
    else if (below.includes(cell) && !isShaped(below.filter((value) => value !== cell))) data++;
    else if (isShaped(below.filter((value) => value !== cell))) names++;
  }
  return { data, names };
}

/** Share of the rows that may be a header once more. */
const MAX_AGAIN = 0.05;

/** Returns whether a row is the header once more, also with a few other names: at least half of them are the same. */
function isSameHeader(header: readonly string[], row: readonly string[]): boolean {
  const same = header.filter((cell, i) => cell !== '' && cell === row[i] && !isValue(cell)).length;
  return same > 1 && same * 2 >= header.filter((cell) => cell !== '').length;
}

/** Returns whether a cell has the form of a value. */
export function isValue(cell: string): boolean {
  return SHAPES.some((pattern) => pattern.test(cell));
}

/** Returns whether values have one form. */
export function isShaped(values: readonly string[]): boolean {
  return values.length > 0 && SHAPES.some((pattern) => values.every((value) => pattern.test(value)));
}

/** Returns whether the cells of a row could name columns: texts that differ, none of the form of a value. */
export function couldBeNames(cells: readonly string[]): boolean {
  return areTexts(cells) && new Set(cells.map((cell) => cell.trim())).size === cells.length;
}

/** Returns whether all cells of a row are texts, none of the form of a value. */
export function areTexts(cells: readonly string[]): boolean {
  return cells.length > 1 && cells.every((cell) => cell.trim() !== '' && !isValue(cell.trim()));
}

/** Returns whether a row stands out from those below it as the names of their columns do. */
export function isAboveValues(row: readonly string[], below: readonly (readonly string[])[]): boolean {
  const { data, names } = evidence(row, below);
  return names > data;
}

/** Fewest rows by which a second line of names is told from a row. */
const MIN_BELOW = 3;
const MAX_MORE = 2;

/**
 * How many of the first rows below the header are further lines of it, such as units: texts above values of another form, and
 * after them a name of the first column alone.
 */
export function moreHeaderLines(header: readonly string[], rows: readonly (readonly string[])[]): number {
  let lines = 0;
  for (; lines < MAX_MORE && rows.length - lines > MIN_BELOW; lines++) {
    const below = rows.slice(lines + 1);
    const row = rows[lines]!;
    const { data, names } = evidence(row, below);
    const least = lines > 0 && row.slice(1).every((cell) => cell === '') ? 1 : 2;
    if (row.length !== header.length || data > 0 || names < least || !isAboveValues(header, below)) break;
  }
  return lines;
}

/** Years and counted columns are names of columns made of digits. */
function isNumberedColumn(cell: string, index: number, header: readonly string[]): boolean {
  if (header.indexOf(cell) !== index) return false;
  return /^(19|20)\d\d$/.test(cell) || /^\d$/.test(cell) || Number(cell) === Number(header[index - 1]) + 1;
}
