import { DOUBLED } from '../../transform/row-writer.ts';

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;

const QUOTED = 1;
/** The most columns of a table; a spreadsheet has 16,384. */
const MAX_COLUMNS = 50_000;
export const TOO_MANY_CELLS = `has more than ${MAX_COLUMNS} cells`;

/** Returns whether a row has more delimiters than a table may have columns; one in a quoted cell counts too. */
export function hasTooManyCells(row: Buffer, delimiter: Buffer): boolean {
  if (row.length < MAX_COLUMNS) return false;
  let cells = 1;
  for (let at = row.indexOf(delimiter); at >= 0 && cells <= MAX_COLUMNS; cells++)
    at = row.indexOf(delimiter, at + delimiter.length);
  return cells > MAX_COLUMNS;
}

/** The cells of a row, found in its bytes. */
export class CellBounds {
  /** Where the text of each cell starts and ends, without quotes. */
  readonly start: Int32Array;
  readonly end: Int32Array;
  /** 0, QUOTED, or DOUBLED where quotes in the text are doubled. */
  readonly quotes: Uint8Array;
  /** Index after the last character of the row. */
  rowEnd = 0;
  /** Line breaks inside quoted cells. */
  breaks = 0;
  /** 1 for the bytes that end a cell that is not quoted. */
  private readonly stops = new Uint8Array(256);
  private readonly delimiter: number;
  private readonly hasQuotes: boolean;

  /** `hasQuotes`: a cell may be quoted; otherwise a quote is a character like others. */
  constructor(count: number, delimiter: number, hasQuotes: boolean) {
    this.start = new Int32Array(count);
    this.end = new Int32Array(count);
    this.quotes = new Uint8Array(count);
    this.delimiter = delimiter;
    this.hasQuotes = hasQuotes;
    for (const stop of [delimiter, LINE_FEED, RETURN]) this.stops[stop] = 1;
    if (hasQuotes) this.stops[QUOTE] = 1;
  }

  /**
   * Finds the cells of the row that starts at `at`. Returns the index after its line break, or -1 for anything but a row
   * with all of its cells that ends before `limit`: then `scanRow` must decide. The byte before `limit` is a line feed.
   */
  find(bytes: Buffer, at: number, limit: number): number {
    const { start, end, quotes, stops, delimiter } = this;
    const last = start.length - 1;
    this.breaks = 0;
    let i = at;
    for (let cell = 0; ; cell++) {
      if (this.hasQuotes && bytes[i] === QUOTE) {
        start[cell] = i + 1;
        i = this.closingQuote(bytes, i + 1, limit, cell);
        if (i < 0) return -1;
        end[cell] = i++;
      } else {
        start[cell] = i;
        while (stops[bytes[i]!] === 0) i++;
        end[cell] = i;
        quotes[cell] = 0;
      }
      const stop = bytes[i]!;
      if (cell < last) {
        if (stop !== delimiter) return -1;
        i++;
        continue;
      }
      this.rowEnd = i;
      if (stop === LINE_FEED) return i + 1;
      return stop === RETURN && bytes[i + 1] === LINE_FEED ? i + 2 : -1;
    }
  }

  /** Returns the index of the closing quote, or -1. */
  private closingQuote(bytes: Buffer, from: number, limit: number, cell: number): number {
    this.quotes[cell] = QUOTED;
    for (let i = from; i < limit; i++) {
      const c = bytes[i];
      if (c === LINE_FEED) this.breaks++;
      else if (c === QUOTE) {
        if (bytes[i + 1] !== QUOTE) return i;
        this.quotes[cell] = DOUBLED;
        i++;
      }
    }
    return -1;
  }
}
