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
  readonly shape: RecordMapper;
  /** Says "surely valid, sent as it is" for a record, or -1; see scanEvent. */
  readonly scan?: ((bytes: Uint8Array, at: number) => number) | undefined;
}

/** A reader takes the complete records out of a window and hands them to the batcher. */
export interface RecordReader {
  /** Takes what is complete; at the end of the input, all. Synchronous: no record waits for another's input. */
  drain(window: Window, batcher: Batcher): void;
}

interface LongLine {
  readonly offset: number;
  readonly shown: Buffer;
}

/**
 * Newline-delimited JSON, byte exact: a record that is valid leaves as it came, white space included. A line that is
 * too long is passed over without being held; invalid UTF-8 rejects its own line only. A byte order mark at the
 * beginning, CRLF and blank lines are accepted.
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
    if (this.long && !this.passLongLine(window, batcher)) return;
    const limit = completeUntil(window);
    const buffer = window.buffer;
    const { scan } = this.options;
    let at = window.start;
    const clean = isUtf8(buffer.subarray(at, Math.min(limit, window.end)));
    while (at < limit && !batcher.done) {
      let end = scan && clean ? scan(buffer, at) : -1;
      if (end > 0) {
        // White space behind the record belongs to its line.
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
      this.other(buffer.subarray(at, end), at, window, batcher, clean);
      at = end + 1;
    }
    // The line feed that stands in for a missing one is not part of the input.
    window.start = Math.min(at, window.end);
    if (window.full && !batcher.done && at >= limit) this.beginLongLine(window, batcher);
  }

  /** A line that the scan did not pass. */
  private other(bytes: Buffer, at: number, window: Window, batcher: Batcher, clean: boolean): void {
    this.line++;
    const offset = window.base + at;
    const next = Math.min(offset + bytes.length + 1, window.base + window.end);
    if (isBlank(bytes) || !batcher.wants()) {
      batcher.skip(next);
    } else if (bytes.length > this.options.longest) {
      batcher.reject(this.tooLong({ offset, shown: bytes.subarray(0, EXCERPT_BYTES) }), next);
    } else if (!clean && !isUtf8(bytes)) {
      batcher.reject(this.notText(bytes, offset), next);
    } else this.text(bytes, at, offset, next, window, batcher);
  }

  private text(
    bytes: Buffer,
    at: number,
    offset: number,
    next: number,
    window: Window,
    batcher: Batcher,
  ): void {
    const raw = bytes.toString('utf8');
    const shaped = this.options.shape(raw);
    if ('field' in shaped) {
      const trimmed = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      batcher.reject({ file: this.options.file, line: this.line, offset, ...shaped, raw: trimmed }, next);
    } else if (shaped.text === raw) {
      batcher.record(window.buffer, at, at + bytes.length, this.line, offset, next);
    } else {
      const text = Buffer.from(shaped.text);
      batcher.record(text, 0, text.length, this.line, offset, next, raw.trimEnd());
    }
  }

  private beginLongLine(window: Window, batcher: Batcher): void {
    const shown = Buffer.from(window.buffer.subarray(window.start, window.start + EXCERPT_BYTES));
    this.long = { offset: window.offset, shown };
    this.passLongLine(window, batcher);
  }

  /** Returns true once the end of the over-long line is found. */
  private passLongLine(window: Window, batcher: Batcher): boolean {
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

  private tooLong({ offset, shown }: LongLine): Reject {
    return {
      file: this.options.file,
      line: this.line,
      offset,
      field: 'record',
      reason: `is longer than a request can be (${this.options.longest} bytes)`,
      raw: shown.toString('utf8').replace(/\uFFFD+$/, ''),
      truncated: true,
    };
  }

  private notText(bytes: Buffer, offset: number): Reject {
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

/** UTF-8's byte order mark, EF BB BF, says nothing and is no part of the first record. */
export function skipByteOrderMark(window: Window): void {
  const { buffer, start, end } = window;
  if (end - start >= 3 && buffer[start] === 0xef && buffer[start + 1] === 0xbb && buffer[start + 2] === 0xbf)
    window.start += 3;
}

/** Index behind the last complete line; at the end of the input the last line is complete without its line feed. */
export function completeUntil(window: Window): number {
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
