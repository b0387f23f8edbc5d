import type { Quote, RowForm } from '../reading.ts';

/** The most columns of a table: those of a spreadsheet. 40,000 took 291 MB, and kept Ctrl-C waiting for seconds. */
const MAX_COLUMNS = 16_384;
export const TOO_MANY_CELLS = `has more than ${MAX_COLUMNS} cells`;

/** Returns whether a row has more delimiters than a table may have columns; one in a quoted cell counts too. */
export function hasTooManyCells(row: Buffer, delimiter: Buffer): boolean {
  if (row.length < MAX_COLUMNS) return false;
  let cells = 1;
  for (let at = row.indexOf(delimiter); at >= 0 && cells <= MAX_COLUMNS; cells++)
    at = row.indexOf(delimiter, at + delimiter.length);
  return cells > MAX_COLUMNS;
}

const DOUBLE = 0x22;
const SINGLE = 0x27;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** The result of scanning one row. */
export interface Row {
  /** Index after the line break of the row; -1 if the row is not complete. */
  next: number;
  /** Index after the last character of the row. */
  end: number;
  /** Line breaks inside quoted cells. */
  breaks: number;
  /** At least one cell is quoted. */
  quoted: boolean;
  /** Why the row is invalid. */
  error: string | undefined;
  /**
   * The row is incomplete because a quoted cell is not closed. `confirmed`: the next quote is on a later line and cannot
   * be its closing quote.
   */
  unclosed: false | 'so far' | 'confirmed';
}

export function newRow(): Row {
  return { next: -1, end: 0, breaks: 0, quoted: false, error: undefined, unclosed: false };
}

/**
 * Finds the end of the row that starts at `at`, by RFC 4180: a quoted cell may contain delimiters, line breaks and
 * doubled quotes. Scans `bytes[at..limit)` for cells separated by the bytes of `delimiter`. A quote in the middle of a cell
 * (but for `single`, an apostrophe), or text after a closing quote, is an error of that row, which then ends at the next line
 * break. With `none`, quotes are ordinary characters. Fills and returns `row`.
 */
export function scanRow(
  bytes: Uint8Array,
  at: number,
  limit: number,
  delimiter: Uint8Array,
  row: Row,
  quote: Quote = 'double',
): Row {
  if (quote === 'none') return scanUnquotedRow(bytes, at, limit, row);
  const mark = quote === 'single' ? SINGLE : DOUBLE;
  const first = delimiter[0]!;
  const more = delimiter.length - 1;
  row.next = -1;
  row.breaks = 0;
  row.quoted = false;
  row.error = undefined;
  row.unclosed = false;
  let i = at;
  let cellStart = true;
  while (i < limit) {
    const c = bytes[i]!;
    if (c === LINE_FEED) return endAt(bytes, at, i, row);
    if (c === mark && cellStart) {
      row.quoted = true;
      i = closingQuote(bytes, i + 1, limit, row, mark);
      if (i < 0) {
        row.unclosed = 'so far';
        return row;
      }
      const after = bytes[i];
      if (i < limit && !startsAt(bytes, i, delimiter) && after !== LINE_FEED && after !== RETURN)
        if (i + more < limit || bytes[limit - 1] === LINE_FEED)
          // The delimiter may be cut by the end of the bytes.
          return invalidRow(bytes, at, i, limit, 'has text after a closing quote', row);
      cellStart = false;
      continue;
    }
    if (c === DOUBLE && mark === DOUBLE)
      return invalidRow(bytes, at, i, limit, 'has a quote inside a cell that does not start with one', row);
    cellStart = c === first && (more === 0 || startsAt(bytes, i, delimiter));
    i += cellStart ? 1 + more : 1;
  }
  return row;
}

function scanUnquotedRow(bytes: Uint8Array, at: number, limit: number, row: Row): Row {
  row.next = -1;
  row.breaks = 0;
  row.quoted = false;
  row.error = undefined;
  row.unclosed = false;
  const feed = bytes.indexOf(LINE_FEED, at);
  return feed < 0 || feed >= limit ? row : endAt(bytes, at, feed, row);
}

function startsAt(bytes: Uint8Array, at: number, delimiter: Uint8Array): boolean {
  for (let i = 0; i < delimiter.length; i++) if (bytes[at + i] !== delimiter[i]) return false;
  return true;
}

/** Returns the index after the closing quote, or -1. */
function closingQuote(bytes: Uint8Array, from: number, limit: number, row: Row, mark: number): number {
  for (let i = from; i < limit; i++) {
    const c = bytes[i];
    if (c === LINE_FEED) row.breaks++;
    else if (c === mark) {
      if (i + 1 < limit && bytes[i + 1] === mark) i++;
      // At the end of the buffer, the next byte could be another quote.
      else return i + 1 < limit ? i + 1 : -1;
    }
  }
  return -1;
}

function endAt(bytes: Uint8Array, at: number, feed: number, row: Row): Row {
  row.next = feed + 1;
  row.end = feed > at && bytes[feed - 1] === RETURN ? feed - 1 : feed;
  return row;
}

function invalidRow(
  bytes: Uint8Array,
  at: number,
  from: number,
  limit: number,
  error: string,
  row: Row,
): Row {
  if (row.breaks > 0) {
    // Reject only the first line, not the rows in between.
    row.unclosed = 'confirmed';
    return row;
  }
  row.error = error;
  for (let i = from; i < limit; i++) if (bytes[i] === LINE_FEED) return endAt(bytes, at, i, row);
  return row;
}

/** Splits the text of a valid row into its cells. */
export function cellsOf(text: string, delimiter: string, quoted: boolean, quote: Quote = 'double'): string[] {
  if (!quoted) return text.split(delimiter);
  const mark = quote === 'single' ? "'" : '"';
  const cells: string[] = [];
  let i = 0;
  for (;;) {
    if (text[i] === mark) {
      let close = text.indexOf(mark, i + 1);
      while (text[close + 1] === mark) close = text.indexOf(mark, close + 2);
      cells.push(text.slice(i + 1, close).replaceAll(mark + mark, mark));
      i = close + 1;
    } else {
      const next = text.indexOf(delimiter, i);
      const end = next < 0 ? text.length : next;
      cells.push(text.slice(i, end));
      i = end;
    }
    if (i >= text.length) return cells;
    i += delimiter.length;
    if (i === text.length) {
      cells.push('');
      return cells;
    }
  }
}

/** The cells of a row as they are meant: without what stands for nothing. */
export function rowCells(cells: string[], { header, trailing, dashes }: RowForm): string[] {
  if (trailing && cells.length === (header?.length ?? 0) + 1 && isBlank(cells.at(-1))) cells.pop();
  return dashes ? cells.map((cell) => (cell === '-' ? '' : cell)) : cells;
}

/** Returns whether a cell has nothing but white space. */
export const isBlank = (cell: string | undefined): boolean => cell?.trim() === '';

/** Writes the names of columns as `--columns` has them. */
export function namesText(names: readonly string[]): string {
  return names.map((name) => (/[",]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name)).join(',');
}
