import { isUtf8 } from 'node:buffer';
import type { Batcher } from '../batch/batcher.ts';
import { EXCERPT_BYTES, type Reject } from '../report/reject.ts';
import type { RecordMapper } from '../transform/map-json.ts';
import type { Window } from './window.ts';

const LINE_FEED = 0x0a;

export interface ReaderOptions {
  readonly file: string;
  /** Longest record in bytes. */
  readonly longest: number;
  readonly map: RecordMapper;
  /** Returns the end of a record that is valid as it is, or -1; see scanEvent. */
  readonly scan?: ((bytes: Uint8Array, at: number) => number) | undefined;
}

/** Passes the complete records in a window to the batcher. */
export interface RecordReader {
  /** The delimiter of the cells of a table, once its header was read. */
  readonly delimiter?: string;
  /** Passes on all complete records; at the end of the input, all records. */
  drain(window: Window, batcher: Batcher): void;
}

interface LongLine {
  readonly offset: number;
  readonly excerpt: Buffer;
}

/**
 * Reads newline-delimited JSON. A valid record is sent byte for byte, including white space. A line that is too long is
 * skipped without being buffered; invalid UTF-8 rejects only its line. A byte order mark at the start, CRLF and blank
 * lines are accepted.
 */
export class NdjsonReader implements RecordReader {
  private line = 0;
  private long: LongLine | undefined;
  private readonly options: ReaderOptions;

  constructor(options: ReaderOptions) {
    this.options = options;
  }

  drain(window: Window, batcher: Batcher): void {
    if (window.offset === 0 && this.line === 0) skipByteOrderMark(window);
    if (this.long && !this.skipLongLine(window, batcher)) return;
    const limit = completeUntil(window);
    const buffer = window.buffer;
    const { scan } = this.options;
    let at = window.start;
    const clean = isUtf8(buffer.subarray(at, Math.min(limit, window.end)));
    while (at < limit && !batcher.done) {
      let end = scan && clean ? scan(buffer, at) : -1;
      if (end > 0) {
        // Trailing white space belongs to the line of the record.
        while (buffer[end] === 0x20 || buffer[end] === 0x0d || buffer[end] === 0x09) end++;
        if (buffer[end] === LINE_FEED && end - at <= this.options.longest) {
          this.line++;
          const next = window.base + end + 1;
          if (batcher.wants()) batcher.record(buffer, at, end, this.line, window.base + at, next);
          else batcher.skip(next);
          at = end + 1;
          continue;
        }
      }
      end = buffer.indexOf(LINE_FEED, at);
      this.slowPath(buffer.subarray(at, end), at, window, batcher, clean);
      at = end + 1;
    }
    // The line feed that was added after the last line is not part of the input.
    window.start = Math.min(at, window.end);
    if (window.full && !batcher.done && at >= limit) this.startLongLine(window, batcher);
  }

  /** Handles a line that the scan did not accept. */
  private slowPath(bytes: Buffer, at: number, window: Window, batcher: Batcher, clean: boolean): void {
    this.line++;
    const offset = window.base + at;
    const next = Math.min(offset + bytes.length + 1, window.base + window.end);
    if (isBlank(bytes) || !batcher.wants()) {
      batcher.skip(next);
    } else if (bytes.length > this.options.longest) {
      batcher.reject(this.tooLong({ offset, excerpt: bytes.subarray(0, EXCERPT_BYTES) }), next);
    } else if (!clean && !isUtf8(bytes)) {
      batcher.reject(this.invalidUtf8(bytes, offset), next);
    } else this.mapped(bytes, at, offset, next, window, batcher);
  }

  private mapped(
    bytes: Buffer,
    at: number,
    offset: number,
    next: number,
    window: Window,
    batcher: Batcher,
  ): void {
    const raw = bytes.toString('utf8');
    const mapped = this.options.map(raw);
    if ('field' in mapped) {
      const trimmed = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      batcher.reject({ file: this.options.file, line: this.line, offset, ...mapped, raw: trimmed }, next);
    } else if ('filtered' in mapped) {
      batcher.filter(next);
    } else if (mapped.text === raw) {
      batcher.record(window.buffer, at, at + bytes.length, this.line, offset, next);
    } else {
      const text = Buffer.from(mapped.text);
      batcher.record(text, 0, text.length, this.line, offset, next, raw.trimEnd());
    }
  }

  private startLongLine(window: Window, batcher: Batcher): void {
    const excerpt = Buffer.from(window.buffer.subarray(window.start, window.start + EXCERPT_BYTES));
    this.long = { offset: window.offset, excerpt };
    this.skipLongLine(window, batcher);
  }

  /** Returns true when the end of the long line is found. */
  private skipLongLine(window: Window, batcher: Batcher): boolean {
    const found = window.dropLine();
    if (!found && !window.ended) return false;
    const long = this.long!;
    this.long = undefined;
    if (found) window.start++;
    this.line++;
    if (batcher.wants()) batcher.reject(this.tooLong(long), window.offset);
    else batcher.skip(window.offset);
    return true;
  }

  private tooLong({ offset, excerpt }: LongLine): Reject {
    return {
      file: this.options.file,
      line: this.line,
      offset,
      field: 'record',
      reason: `is longer than the longest record (${this.options.longest} bytes)`,
      raw: excerpt.toString('utf8').replace(/\uFFFD+$/, ''),
      truncated: true,
    };
  }

  private invalidUtf8(bytes: Buffer, offset: number): Reject {
    return {
      file: this.options.file,
      line: this.line,
      offset,
      field: 'record',
      reason: 'is not valid UTF-8',
      raw: bytes.toString('utf8').trimEnd(),
      rawBase64: bytes.toString('base64'),
    };
  }
}

/** Skips the byte order mark of UTF-8, EF BB BF. */
export function skipByteOrderMark(window: Window): void {
  const { buffer, start, end } = window;
  if (end - start >= 3 && buffer[start] === 0xef && buffer[start + 1] === 0xbb && buffer[start + 2] === 0xbf)
    window.start += 3;
}

/** Returns the index after the last complete line. At the end of the input, the last line needs no line feed. */
function completeUntil(window: Window): number {
  if (window.ended && window.end > window.start && window.buffer[window.end - 1] !== LINE_FEED)
    return window.end + 1;
  if (window.end === window.start) return window.start;
  const feed = window.buffer.lastIndexOf(LINE_FEED, window.end - 1);
  return feed < window.start ? window.start : feed + 1;
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
