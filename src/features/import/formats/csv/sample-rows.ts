import type { Quote } from '../reading.ts';
import { cellsOf, newRow, scanRow } from './csv-rows.ts';

/** A row of the beginning of a table. */
export interface SampleRow {
  readonly cells: readonly string[];
  readonly start: number;
  readonly text: string;
  /** A quote is where RFC 4180 has none. */
  readonly isBroken: boolean;
}

const LINE_FEED = 0x0a;
/** Rows that are compared. */
const MAX_ROWS = 100;

/** The number of cells that most rows have; of several, that of the first row. */
export function commonWidth(rows: readonly SampleRow[]): number {
  const counts = new Map<number, number>();
  for (const { cells } of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  let width = 0;
  for (const [cells, count] of counts) if (count > (counts.get(width) ?? 0)) width = cells;
  return width;
}

/** The first rows of `head`, from an index. */
export function rowsOf(head: Buffer, from: number, delimiter: string, quote: Quote | undefined): SampleRow[] {
  const bytes = Buffer.concat([head, Buffer.from('\n')]);
  const mark = Buffer.from(delimiter);
  const row = newRow();
  const rows: SampleRow[] = [];
  for (let at = from; at < head.length && rows.length < MAX_ROWS; ) {
    scanRow(bytes, at, bytes.length, mark, row, quote);
    // A row that does not end is judged by its first line, unless it may only be cut.
    const broken = row.next < 0;
    if (broken && row.unclosed === 'so far' && rows.length > 0) break;
    const next = broken ? bytes.indexOf(LINE_FEED, at) + 1 : row.next;
    const end = broken ? next - 1 : row.end;
    if (next > head.length && rows.length > 0) break;
    const text = bytes.toString('utf8', at, end);
    if (text !== '') {
      const isBroken = broken || row.error !== undefined;
      const cells = isBroken ? text.split(delimiter) : cellsOf(text, delimiter, row.quoted, quote);
      rows.push({ cells, start: at, text, isBroken });
    }
    at = next;
  }
  return rows;
}
