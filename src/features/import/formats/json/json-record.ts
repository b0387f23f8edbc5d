import { isUtf8 } from 'node:buffer';
import { EXCERPT_BYTES, type Reject } from '../../record/reject.ts';
import type { RecordMapper } from '../record-mappers.ts';
import { type Place, passMapped, type RecordSink } from '../record-source.ts';
import { notText, undecodedParts } from '../undecoded.ts';
import { excessOf } from './record-shape.ts';

export interface JsonOptions {
  readonly file: string;
  /** Longest record in bytes. */
  readonly longest: number;
  readonly map: RecordMapper;
  /** The encoding of the input. */
  readonly encoding?: string | undefined;
  /** Returns the end of a record that is valid as it is, or -1; see scanEvent. */
  readonly scan?: ((bytes: Uint8Array, at: number) => number) | undefined;
}

/** A value whose end is not found yet. */
export interface OpenValue {
  /** Its start and the end of what was scanned, as offsets in the input. */
  readonly start: number;
  scanned: number;
  readonly line: number;
  /** It is a record; otherwise it is skipped. */
  readonly record: boolean;
  /** The white space before it on its line; undefined if it is not the first there. */
  readonly indent: number | undefined;
  /** The beginning of a record that is too long to be kept. */
  excerpt?: Buffer | undefined;
}

/** Maps the record in `buffer[start..end)` and passes it on, or rejects it. `clean`: the bytes are valid UTF-8. */
export function passRecord(
  options: JsonOptions,
  sink: RecordSink,
  buffer: Buffer,
  [start, end]: readonly [number, number],
  { line, offset, next }: Omit<Place, 'file'> & { readonly next: number },
  clean: boolean,
): void {
  const { file, longest, map, encoding } = options;
  const bytes = buffer.subarray(start, end);
  if (bytes.length > longest) {
    sink.reject(tooLong(options, line, offset, bytes.subarray(0, EXCERPT_BYTES)), next);
    return;
  }
  if (!clean && !isUtf8(bytes)) {
    const parts = undecodedParts(bytes, encoding);
    const raw = bytes.toString('utf8').trimEnd();
    sink.reject({ file, line, offset, field: 'record', reason: notText(encoding), raw, ...parts }, next);
    return;
  }
  const raw = bytes.toString('utf8');
  const excess = excessOf(buffer, start, end);
  const mapped = excess === undefined ? map(raw) : { field: 'record', reason: excess };
  if ('unchanged' in mapped) sink.record(buffer, start, end, line, offset, next);
  else passMapped(sink, mapped, { file, line, offset }, next, raw.trimEnd());
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
    // The excerpt may end inside a character.
    raw: excerpt.toString('utf8').replace(/\uFFFD{1,3}$/, ''),
    truncated: true,
  };
}
