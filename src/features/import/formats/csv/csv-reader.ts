import { isUtf8 } from 'node:buffer';
import { shellPath } from '../../../../kit/shell.ts';
import { skipByteOrderMark } from '../../input/byte-order-mark.ts';
import { InputError } from '../../input/input-error.ts';
import type { Window } from '../../input/window.ts';
import { EXCERPT_BYTES } from '../../record/reject.ts';
import { NotUtf8 } from '../not-utf8.ts';
import type { Reading } from '../reading.ts';
import type { RecordMappers, RowMapper } from '../record-mappers.ts';
import { passMapped, type RecordReader, type RecordSink } from '../record-source.ts';
import { notText, undecodedParts } from '../undecoded.ts';
import { findDialect } from './csv-dialect.ts';
import {
  cellsOf,
  hasTooManyCells,
  isBlank,
  newRow,
  type Row,
  rowCells,
  scanRow,
  TOO_MANY_CELLS,
} from './csv-rows.ts';
import { requireForm } from './other-form.ts';
import { refuseHeader } from './refuse-header.ts';

const LINE_FEED = 0x0a;
const HASH = 0x23;
const SPACE = 0x20;
/** Characters of the header with which rows are compared first. */
const HEADER_START = 16;
const UTF_8 = 'utf-8';
/** How much of a CSV shows how it is written, in bytes. */
const HEAD = 64 * 1024;

export interface CsvOptions {
  readonly file: string;
  readonly rows: RecordMappers['rows'];
  readonly reading: Reading;
  /** The encoding of the input. */
  readonly encoding?: string | undefined;
  /** Longest row in bytes; also limits a quoted cell that is not closed. */
  readonly longest: number;
  /** The input can be waited for, as a file can: how it is written is told from all of its beginning. */
  readonly patient?: boolean;
  readonly onNotice: (text: string) => void;
}

interface LongRow {
  readonly offset: number;
  readonly excerpt: Buffer;
  readonly reason: string;
  readonly truncated: boolean;
}

/**
 * Reads CSV with a header, as defined by RFC 4180. An invalid row is rejected alone. If a quote is never closed, reading
 * continues at the next line, so that the rest of the file is not lost to one cell.
 */
export class CsvReader implements RecordReader {
  private line = 0;
  private columns: RowMapper | undefined;
  delimiter = ',';
  private longHeader = false;
  private emptyAt: number | undefined;
  /** The rows end in a delimiter that the header lacks. */
  trailing = false;
  /** It is a log of the W3C format, with comments, and dashes for what is empty. */
  dashes = false;
  /** Rows to come that are further lines of the header. */
  private moreHeaders = 0;
  /** The header is in the file; its first bytes, without a quote. */
  private isNamed = false;
  private headerStart = Buffer.alloc(0);
  private readonly said = new Set<string>();
  header: readonly string[] | undefined;
  /** The bytes of the delimiter. */
  private mark = Buffer.from(',');
  private started = false;
  private readonly options: CsvOptions;
  private readonly row = newRow();
  private long: LongRow | undefined;

  constructor(options: CsvOptions) {
    this.options = options;
  }

  drain(window: Window, batcher: RecordSink): void {
    if (window.offset === 0 && this.line === 0) skipByteOrderMark(window);
    if (!this.started && window.start < window.end && !this.start(window, batcher)) return;
    const clean = isUtf8(window.buffer.subarray(window.start, Math.min(completeUntil(window), window.end)));
    while (!batcher.done && !batcher.full && window.start < window.end) {
      if (this.long && !this.skipLongRow(window, batcher)) return;
      // At the end of the input, a line feed follows the last row.
      const end = window.ended ? window.end + 1 : window.end;
      const { quote } = this.options.reading;
      const row = scanRow(window.buffer, window.start, end, this.mark, this.row, quote);
      if (row.next >= 0) {
        this.take(window, batcher, row, clean);
        this.line += 1 + row.breaks;
        window.start = Math.min(row.next, window.end);
      } else if (window.ended || window.full || row.unclosed === 'confirmed') {
        this.startLongRow(window, row);
      } else return;
    }
    if (this.long && window.ended) this.skipLongRow(window, batcher);
  }

  /** Finds out how the CSV is written, once a first line has been read, and skips what is before its header. */
  private start(window: Window, batcher: RecordSink): boolean {
    const { file, reading, onNotice, patient } = this.options;
    const head = window.buffer.subarray(window.start, Math.min(window.end, window.start + HEAD));
    const enough = !patient && head.includes(LINE_FEED);
    if (!enough && !window.ended && !window.full && head.length < HEAD) return false;
    const dialect = findDialect(head, reading.delimiter, reading.quote);
    requireForm(file, head.subarray(dialect.skipBytes), dialect, reading);
    refuseHeader(file, dialect, reading.columns !== undefined);
    this.dashes = dialect.comments === true;
    this.delimiter = dialect.delimiter;
    this.mark = Buffer.from(dialect.delimiter);
    this.longHeader = dialect.longHeader === true;
    this.emptyAt = dialect.emptyAt;
    this.moreHeaders = reading.columns ? 0 : (dialect.moreHeaders ?? 0);
    this.line += dialect.skipLines;
    window.start += dialect.skipBytes;
    if (dialect.title !== undefined) {
      const lines = dialect.skipLines === 1 ? 'a line' : `${dialect.skipLines} lines`;
      onNotice(`${file}: left out ${lines} before the table: ${dialect.title.slice(0, 60)}`);
    }
    batcher.skip(window.offset);
    this.started = true;
    if (reading.columns) this.use(reading.columns);
    else if (dialect.names) this.use(dialect.names);
    return true;
  }

  private take(window: Window, batcher: RecordSink, row: Row, clean: boolean): void {
    const { start, buffer } = window;
    const offset = window.base + start;
    const next = Math.min(window.base + row.next, window.base + window.end);
    const empty = row.end === start;
    if (!this.columns) {
      if (!empty) this.takeHeader(buffer.subarray(start, row.end), row);
      batcher.skip(next);
      return;
    }
    const bytes = buffer.subarray(start, row.end);
    if (empty || (this.dashes && bytes[0] === HASH) || this.isNoRow(bytes, row) || !batcher.countRecord()) {
      batcher.skip(next);
      return;
    }
    if (this.moreHeaders > 0) {
      this.moreHeaders--;
      this.reject(batcher, bytes, 'looks like a further line of the header', next, offset);
      return;
    }
    const reason =
      bytes.length > this.options.longest
        ? tooLong(this.options.longest)
        : clean || isUtf8(bytes)
          ? (row.error ?? (hasTooManyCells(bytes, this.mark) ? TOO_MANY_CELLS : undefined))
          : notText(this.options.encoding);
    if (reason) {
      this.reject(batcher, bytes, reason, next, offset);
      return;
    }
    const raw = bytes.toString('utf8');
    const cells = this.cells(raw, row);
    if (this.trailing && cells.length > this.header!.length && cells.at(-1) !== '' && isBlank(cells.at(-1)))
      this.sayOnce('ends in a cell of white space without a name', 'such cells are left out');
    if (row.quoted && this.options.reading.quote === 'single' && raw.includes('""'))
      this.sayOnce('has "" among cells in single quotes', 'it is kept as it is');
    const mapped = this.columns.record(rowCells(cells, this));
    passMapped(batcher, mapped, { file: this.options.file, line: this.line + 1, offset }, next, raw);
  }

  private cells(text: string, { quoted }: Row): string[] {
    return cellsOf(text, this.delimiter, quoted, this.options.reading.quote);
  }

  /** Returns whether a row is the header once more, as in files that were joined, or has nothing in any cell. */
  private isNoRow(bytes: Buffer, row: Row): boolean {
    const { header = [] } = this;
    if (header.length < 2 || row.error !== undefined) return false;
    if (
      bytes.every((byte) => byte === SPACE || this.mark.includes(byte)) &&
      !hasTooManyCells(bytes, this.mark)
    )
      return this.leaveOut('has only empty cells');
    // Most rows differ in their first bytes: their cells are not compared.
    if (!this.isNamed || !bytes.subarray(0, this.headerStart.length + 1).includes(this.headerStart))
      return false;
    const cells = this.cells(bytes.toString('utf8'), row);
    if (header.some((name, i) => cells[i] !== name)) return false;
    this.moreHeaders = 0;
    return this.leaveOut('repeats the header');
  }

  private leaveOut(why: string): true {
    this.sayOnce(why, 'such lines are left out');
    return true;
  }

  /** Says of the first row that is not read as it is written what becomes of all such rows. */
  private sayOnce(why: string, what: string): void {
    if (!this.said.has(why))
      this.options.onNotice(`${this.options.file}: line ${this.line + 1} ${why}; ${what}`);
    this.said.add(why);
  }

  private takeHeader(bytes: Buffer, row: Row): void {
    const { file } = this.options;
    if (row.error || !isUtf8(bytes)) {
      const { encoding } = this.options;
      const message = `The header of ${file} ${row.error ?? notText(encoding)}.`;
      const hint = `head -1 ${shellPath(file)}`;
      if (row.error || encoding !== UTF_8) throw new InputError(message, hint);
      throw new NotUtf8(message, hint, Buffer.from(bytes));
    }
    if (hasTooManyCells(bytes, this.mark))
      throw new InputError(`The header of ${file} ${TOO_MANY_CELLS}.`, `head -c 200 ${shellPath(file)}`);
    const cells = this.cells(bytes.toString('utf8'), row);
    if (this.longHeader) cells.pop();
    this.isNamed = true;
    this.headerStart = Buffer.from(cells[0]!.slice(0, HEADER_START));
    this.use(cells);
  }

  private use(names: readonly string[]): void {
    const { file, rows, onNotice } = this.options;
    this.header = names;
    this.trailing = this.emptyAt === names.length + 1;
    this.columns = rows(names, file);
    for (const notice of this.columns.notices) onNotice(notice);
  }

  /** Starts to skip a row that does not end: a quote is not closed, or it is too long. Only its first line is rejected. */
  private startLongRow(window: Window, row: Row): void {
    const unclosed = row.unclosed !== false;
    if (!this.columns)
      throw new InputError(
        `The header of ${this.options.file} ${unclosed ? 'has a quote that is not closed' : 'is too long'}.`,
        `head -c 200 ${shellPath(this.options.file)}`,
      );
    const bytes = window.buffer.subarray(window.start, Math.min(window.start + EXCERPT_BYTES, window.end));
    const feed = bytes.indexOf(LINE_FEED);
    this.long = {
      offset: window.offset,
      excerpt: Buffer.from(feed < 0 ? bytes : bytes.subarray(0, feed)),
      reason: unclosed ? 'has a quoted cell that is not closed' : tooLong(this.options.longest),
      truncated: feed < 0 && window.start + EXCERPT_BYTES < window.end,
    };
  }

  /** Skips the first line of such a row without buffering it. Returns true when its end is found. */
  private skipLongRow(window: Window, batcher: RecordSink): boolean {
    const found = window.dropLine();
    if (!found && !window.ended) return false;
    if (found) window.start++;
    const { excerpt, reason, offset, truncated } = this.long!;
    this.long = undefined;
    if (batcher.countRecord()) this.reject(batcher, excerpt, reason, window.offset, offset, truncated);
    else batcher.skip(window.offset);
    this.line++;
    return true;
  }

  private reject(
    batcher: RecordSink,
    bytes: Buffer,
    reason: string,
    next: number,
    offset: number,
    truncated = false,
  ): void {
    const raw = bytes.toString('utf8').trimEnd();
    batcher.reject(
      {
        file: this.options.file,
        line: this.line + 1,
        offset,
        field: 'record',
        reason,
        raw,
        ...undecodedParts(bytes, this.options.encoding),
        ...(truncated ? { truncated: true as const } : {}),
      },
      next,
    );
  }
}

/** Returns the index after the last line feed; at the end of the input, one follows the last row. */
function completeUntil(window: Window): number {
  if (window.ended) return window.end + 1;
  if (window.end === window.start) return window.start;
  return Math.max(window.start, window.buffer.lastIndexOf(LINE_FEED, window.end - 1) + 1);
}

function tooLong(longest: number): string {
  return `is longer than the longest record (${longest} bytes)`;
}
