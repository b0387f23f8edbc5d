import { isUtf8 } from 'node:buffer';
import { skipByteOrderMark } from '../../input/byte-order-mark.ts';
import type { InputError } from '../../input/input-error.ts';
import { charactersEnd, type Window } from '../../input/window.ts';
import { EXCERPT_BYTES } from '../../record/reject.ts';
import type { RecordReader, RecordSink } from '../record-source.ts';
import { CompactScan, originalIndex } from './compact.ts';
import { brokenJson, noRecords, othersText } from './json-errors.ts';
import { type JsonOptions, type OpenValue, passRecord, tooLong } from './json-record.ts';
import { endOfBroken } from './recover.ts';
import { scanned } from './scan-event.ts';
import { INVALID, NEED, ValueScanner } from './value-scanner.ts';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
/** White space and commas, as bytes. */
const BETWEEN_RECORDS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0d, LINE_FEED, COMMA]);
/** RFC 7464 puts it before each text of a sequence. */
const RECORD_SEPARATOR = 0x1e;

export interface JsonReaderOptions extends JsonOptions {
  /** The names that lead to the array of records; empty if the document is that array, or the records themselves. */
  readonly path: readonly string[];
  readonly onNotice: (text: string) => void;
}

/**
 * Reads JSON whose records need not be lines: the elements of an array, at the top or at a path, or objects one after
 * the other. Each record keeps its bytes, white space included. Memory is limited to the longest record.
 */
export class JsonReader implements RecordReader {
  private readonly options: JsonReaderOptions;
  private readonly scanner = new ValueScanner();
  private readonly frames: ('object' | 'array')[] = [];
  /** What comes next in an object around the records. */
  private expected: 'key' | 'colon' | 'value' = 'key';
  private key = '';
  private open: OpenValue | undefined;
  private line = 1;
  /** Offset of the line that has only had white space so far; undefined on any other line. */
  private lineStart: number | undefined = 0;
  private found = false;
  private over = false;
  private readonly others: string[] = [];
  private readonly compacted: CompactScan | undefined;

  constructor(options: JsonReaderOptions) {
    this.options = options;
    this.compacted = options.scan && new CompactScan(options.scan);
  }

  drain(window: Window, sink: RecordSink): void {
    if (window.offset === 0) skipByteOrderMark(window);
    // A scan stops at this line feed, also where the window ends within a record.
    window.buffer[window.end] = LINE_FEED;
    const clean = isUtf8(window.buffer.subarray(window.start, charactersEnd(window)));
    while (!sink.done && !sink.full) {
      if (this.open) {
        if (!this.scanOpen(window, sink, clean)) return;
      } else if (!this.skipSpace(window) || !this.step(window, sink, clean)) break;
    }
    if (window.ended && window.start >= window.end && !this.over && !sink.done && !sink.full)
      this.finish(window, sink);
  }

  /** Moves to the next byte that is not white space; returns whether there is one. */
  private skipSpace(window: Window): boolean {
    const { buffer, end } = window;
    let at = window.start;
    for (; at < end; at++) {
      const c = buffer[at];
      if (c === LINE_FEED) {
        this.line++;
        this.lineStart = window.base + at + 1;
      } else if (c !== 0x20 && c !== 0x0d && c !== 0x09) break;
    }
    window.start = at;
    return at < end;
  }

  /** Takes the next token or value. Returns false if it needs more bytes. */
  private step(window: Window, sink: RecordSink, clean: boolean): boolean {
    const c = window.buffer[window.start]!;
    switch (this.frames.at(-1)) {
      case undefined:
        if (c === COMMA || c === RECORD_SEPARATOR) this.token(window);
        else if (c === OPEN_ARRAY && this.options.path.length > 0) throw noRecords(this.options);
        else if (c === OPEN_OBJECT && this.options.path.length > 0) this.enter(window, 'object');
        else if (c === OPEN_ARRAY && this.options.path.length === 0) this.enter(window, 'array');
        else return this.element(window, sink, clean);
        return true;
      case 'array':
        if (c === COMMA) this.token(window);
        else if (c === CLOSE_ARRAY) this.leave(window);
        else return this.element(window, sink, clean);
        return true;
      case 'object':
        return this.member(window, c);
    }
  }

  private enter(window: Window, frame: 'object' | 'array'): void {
    this.frames.push(frame);
    this.expected = 'key';
    this.found ||= frame === 'array';
    this.token(window);
  }

  private leave(window: Window): void {
    this.frames.pop();
    this.expected = 'key';
    this.token(window);
  }

  private token(window: Window): void {
    window.start++;
    this.lineStart = undefined;
  }

  /** Takes a token of an object around the records. */
  private member(window: Window, c: number): boolean {
    const { path } = this.options;
    const level = this.frames.length - 1;
    if (this.expected === 'key' && c === COMMA) this.token(window);
    else if (this.expected === 'key' && c === CLOSE_OBJECT) this.leave(window);
    else if (this.expected === 'key' && c === QUOTE) return this.name(window);
    else if (this.expected === 'colon' && c === COLON) {
      this.token(window);
      this.expected = 'value';
    } else if (this.expected === 'value') {
      const leads = this.key === path[level];
      const last = level === path.length - 1;
      if (leads && last && c === OPEN_ARRAY) this.enter(window, 'array');
      else if (leads && !last && c === OPEN_OBJECT) this.enter(window, 'object');
      else {
        if (
          c === OPEN_ARRAY &&
          /^\[\s*\{/.test(window.buffer.toString('latin1', window.start, window.start + 200))
        )
          this.others.push([...path.slice(0, level), this.key].join('.'));
        this.begin(window, false);
        this.expected = 'key';
      }
    } else throw this.broken(window);
    return true;
  }

  private name(window: Window): boolean {
    this.scanner.start();
    const end = this.scanner.scan(window.buffer, window.start, window.end);
    if (end === NEED && !window.ended && !window.full) return false;
    if (end < 0) throw this.broken(window);
    try {
      this.key = JSON.parse(window.buffer.toString('utf8', window.start, end)) as string;
    } catch {
      throw this.broken(window);
    }
    window.start = end;
    this.lineStart = undefined;
    this.expected = 'colon';
    return true;
  }

  private begin(window: Window, record: boolean): void {
    this.scanner.start();
    const { offset } = window;
    const indent = this.lineStart === undefined ? undefined : offset - this.lineStart;
    this.open = { start: offset, scanned: offset, line: this.line, record, indent };
    this.lineStart = undefined;
  }

  /** Takes the next record: at once if it is complete and valid as it is. */
  private element(window: Window, sink: RecordSink, clean: boolean): boolean {
    const { scan, longest } = this.options;
    const { buffer, start, offset } = window;
    const end = scan && clean ? scan(buffer, start) : -1;
    if (end > 0 && end <= window.end && end - start <= longest) {
      const next = window.base + end;
      if (sink.countRecord())
        sink.record(buffer, start, end, this.line, offset, next, undefined, scanned.timestamp);
      else sink.skip(next);
      window.start = end;
      this.lineStart = undefined;
      return true;
    }
    this.begin(window, true);
    return true;
  }

  /** Continues with the open value. Returns false if it needs more bytes. */
  private scanOpen(window: Window, sink: RecordSink, clean: boolean): boolean {
    const open = this.open!;
    const limit = window.ended ? window.end + 1 : window.end;
    const end = this.scanner.scan(window.buffer, open.scanned - window.base, limit);
    if (end >= 0) {
      this.close(window, sink, Math.min(end, window.end), clean);
      return true;
    }
    if (window.ended && this.scanner.at >= window.end) {
      this.close(window, sink, window.end, clean);
      return true;
    }
    if (end === INVALID) return this.recover(window, sink);
    open.scanned = window.base + window.end;
    if (window.full || !open.record) {
      const { buffer, start } = window;
      open.excerpt ??= Buffer.from(buffer.subarray(start, start + EXCERPT_BYTES));
      window.start = window.end;
    }
    return false;
  }

  /** The open value ends at `end`. */
  private close(window: Window, sink: RecordSink, end: number, clean: boolean): void {
    const { start, line, record, excerpt } = this.open!;
    this.open = undefined;
    this.line = line + this.scanner.lineFeeds;
    const next = window.base + end;
    const from = window.start;
    window.start = end;
    if (!record) return;
    if (!sink.countRecord()) sink.skip(next);
    else if (excerpt) sink.reject(tooLong(this.options, line, start, excerpt), next);
    else if (clean && this.isValid(window.buffer, from, end)) {
      const time = originalIndex(window.buffer, from, scanned.timestamp);
      sink.record(window.buffer, from, end, line, start, next, undefined, time);
    } else passRecord(this.options, sink, window.buffer, [from, end], { line, offset: start, next }, clean);
  }

  /** Validates a record of several lines as it would be on one. */
  private isValid(buffer: Buffer, start: number, end: number): boolean {
    const { lineFeeds } = this.scanner;
    return (
      lineFeeds > 0 && end - start <= this.options.longest && !!this.compacted?.accepts(buffer, start, end)
    );
  }

  /** Rejects a record that is not JSON, if its end can be told. Returns false if it needs more bytes. */
  private recover(window: Window, sink: RecordSink): boolean {
    const open = this.open!;
    if (!open.record || open.excerpt) throw this.broken(window);
    const complete = window.ended || window.full;
    const end = endOfBroken(window.buffer, [window.start, window.end], {
      indent: open.indent,
      inArray: this.frames.length > 0,
      complete,
    });
    if (end < 0 && complete) throw this.broken(window);
    if (end < 0) return false;
    const bytes = window.buffer.subarray(window.start, end);
    const next = window.base + end;
    const place = { line: open.line, offset: open.start, next };
    let length = bytes.length;
    while (length > 0 && BETWEEN_RECORDS.has(bytes[length - 1]!)) length--;
    const range = [window.start, window.start + length] as const;
    this.open = undefined;
    this.line = open.line;
    for (const byte of bytes) if (byte === LINE_FEED) this.line++;
    if (bytes.at(-1) === LINE_FEED) this.lineStart = next;
    window.start = end;
    if (sink.countRecord()) passRecord(this.options, sink, window.buffer, range, place, false);
    else sink.skip(next);
    return true;
  }

  /** The error of a document whose rest cannot be read. */
  private broken(window: Window): InputError {
    const { open, scanner } = this;
    const at = open ? window.base + scanner.at : window.offset;
    return brokenJson(this.options.file, open ? open.line + scanner.lineFeeds : this.line, at);
  }

  private finish(window: Window, sink: RecordSink): void {
    this.over = true;
    const { file, path, onNotice } = this.options;
    if (this.frames.length > 0) {
      const reason = 'is missing: the file ends before the JSON does, so it is truncated';
      const place = { file, line: this.line, offset: window.offset };
      if (sink.countRecord()) sink.reject({ ...place, field: 'record', reason, raw: '' }, window.offset);
    } else if (path.length > 0 && !this.found && window.offset > 0) throw noRecords(this.options);
    if (this.others.length > 0) onNotice(othersText(file, path, this.others));
  }
}
