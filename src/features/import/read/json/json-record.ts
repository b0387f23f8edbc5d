import { isUtf8 } from 'node:buffer';
import { EXCERPT_BYTES, type Reject } from '../../report/reject.ts';
import type { RecordMapper } from '../../transform/map-json.ts';
import type { RecordSink } from '../record-source.ts';

export interface JsonOptions {
  readonly file: string;
  /** Longest record in bytes. */
  readonly longest: number;
  readonly map: RecordMapper;
  /** Returns the end of a record that is valid as it is, or -1; see scanEvent. */
  readonly scan?: ((bytes: Uint8Array, at: number) => number) | undefined;
}

/** Where a record is in its input. */
export interface Place {
  readonly line: number;
  readonly offset: number;
  /** Offset after the record. */
  readonly next: number;
}

/** Maps the record in `buffer[start..end)` and passes it on, or rejects it. `clean`: the bytes are valid UTF-8. */
export function passRecord(
  options: JsonOptions,
  sink: RecordSink,
  buffer: Buffer,
  [start, end]: readonly [number, number],
  { line, offset, next }: Place,
  clean: boolean,
): void {
  const { file, longest, map } = options;
  const bytes = buffer.subarray(start, end);
  if (bytes.length > longest) {
    sink.reject(tooLong(options, line, offset, bytes.subarray(0, EXCERPT_BYTES)), next);
    return;
  }
  if (!clean && !isUtf8(bytes)) {
    sink.reject(invalidUtf8(file, line, offset, bytes), next);
    return;
  }
  const raw = bytes.toString('utf8');
  const mapped = map(raw);
  if ('field' in mapped) {
    const trimmed = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    sink.reject({ file, line, offset, ...mapped, raw: trimmed }, next);
  } else if ('filtered' in mapped) {
    sink.filter(next);
  } else if (mapped.text === raw) {
    sink.record(buffer, start, end, line, offset, next);
  } else {
    const text = Buffer.from(mapped.text);
    sink.record(text, 0, text.length, line, offset, next, raw.trimEnd());
  }
}

export function tooLong(
  { file, longest }: JsonOptions,
  line: number,
  offset: number,
  excerpt: Buffer,
): Reject {
  return {
    file,
    line,
    offset,
    field: 'record',
    reason: `is longer than the longest record (${longest} bytes)`,
    raw: excerpt.toString('utf8').replace(/\uFFFD+$/, ''),
    truncated: true,
  };
}

function invalidUtf8(file: string, line: number, offset: number, bytes: Buffer): Reject {
  return {
    file,
    line,
    offset,
    field: 'record',
    reason: 'is not valid UTF-8',
    raw: bytes.toString('utf8').trimEnd(),
    rawBase64: bytes.toString('base64'),
  };
}
