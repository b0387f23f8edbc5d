import { isUtf8 } from 'node:buffer';
import { skipByteOrderMark } from '../input/byte-order-mark.ts';
import type { Window } from '../input/window.ts';
import { EXCERPT_BYTES } from '../record/reject.ts';
import { type JsonOptions, passRecord, tooLong } from './json/json-record.ts';
import { scanned } from './json/scan-event.ts';
import type { RecordReader, RecordSink } from './record-source.ts';

const LINE_FEED = 0x0a;

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
  private readonly options: JsonOptions;

  constructor(options: JsonOptions) {
    this.options = options;
  }

  drain(window: Window, batcher: RecordSink): void {
    if (window.offset === 0 && this.line === 0) skipByteOrderMark(window);
    if (this.long && !this.skipLongLine(window, batcher)) return;
    const limit = completeUntil(window);
    const buffer = window.buffer;
    const { scan } = this.options;
    let at = window.start;
    const clean = isUtf8(buffer.subarray(at, Math.min(limit, window.end)));
    while (at < limit && !batcher.done && !batcher.full) {
      let end = scan && clean ? scan(buffer, at) : -1;
      if (end > 0) {
        // Trailing white space belongs to the line of the record.
        while (buffer[end] === 0x20 || buffer[end] === 0x0d || buffer[end] === 0x09) end++;
        if (buffer[end] === LINE_FEED && end - at <= this.options.longest) {
          this.line++;
          const next = window.base + end + 1;
          if (batcher.countRecord())
            batcher.record(buffer, at, end, this.line, window.base + at, next, undefined, scanned.timestamp);
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
  private slowPath(bytes: Buffer, at: number, window: Window, batcher: RecordSink, clean: boolean): void {
    this.line++;
    const offset = window.base + at;
    const next = Math.min(offset + bytes.length + 1, window.base + window.end);
    if (isBlank(bytes) || !batcher.countRecord()) {
      batcher.skip(next);
      return;
    }
    const place = { line: this.line, offset, next };
    passRecord(this.options, batcher, window.buffer, [at, at + bytes.length], place, clean);
  }

  private startLongLine(window: Window, batcher: RecordSink): void {
    const excerpt = Buffer.from(window.buffer.subarray(window.start, window.start + EXCERPT_BYTES));
    this.long = { offset: window.offset, excerpt };
    this.skipLongLine(window, batcher);
  }

  /** Returns true when the end of the long line is found. */
  private skipLongLine(window: Window, batcher: RecordSink): boolean {
    const found = window.dropLine();
    if (!found && !window.ended) return false;
    const long = this.long!;
    this.long = undefined;
    if (found) window.start++;
    this.line++;
    if (batcher.countRecord())
      batcher.reject(tooLong(this.options, this.line, long.offset, long.excerpt), window.offset);
    else batcher.skip(window.offset);
    return true;
  }
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
