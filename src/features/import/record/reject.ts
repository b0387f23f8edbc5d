import type { ValidationError } from './validation-errors.ts';

/** A rejected record, as a line of the rejects file (docs/import.md, "Rejected records"). */
export interface Reject {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Byte offset of the record in the decompressed input. */
  readonly offset: number;
  readonly field: string;
  readonly reason: string;
  /** HTTP status and request ID, if the service refused the record. */
  readonly status?: number;
  readonly requestId?: string;
  /** The record as it was read; fixed, it can be imported again. */
  readonly raw: string;
  /** The exact bytes, if they are not valid UTF-8, which `raw` cannot hold. */
  readonly rawBase64?: string;
  /** True if `raw` holds only the beginning of the record. */
  readonly truncated?: true;
  /** The flags with which the record would be valid (see ValidationError); not written to the file. */
  readonly fixableBy?: ValidationError['fixableBy'];
  /** What the event does against `--plan`; not written to the file. */
  readonly violations?: ValidationError['violations'];
}

/** What comes before the record in a line of a rejects file is within this many bytes. */
export const REJECT_HEAD_BYTES = 64 * 1024;

/** Returns the input named by the first line of a rejects file; undefined if that line is not a reject. */
export function rejectedFile(head: Buffer): string | undefined {
  const text = head.toString('utf8', 0, REJECT_HEAD_BYTES);
  // The record comes after what describes it, and is not read: it may be long.
  const end = text.startsWith('{"file":') ? text.indexOf(',"raw":"') : -1;
  if (end < 0) return undefined;
  try {
    const { file, line, offset, field, reason } = JSON.parse(`${text.slice(0, end)}}`) as Partial<Reject>;
    const numbers = [line, offset].every((value) => typeof value === 'number');
    const texts = [file, field, reason].every((value) => typeof value === 'string');
    return numbers && texts ? file : undefined;
  } catch {
    return undefined;
  }
}

/** How much of a record that is too long is written to the rejects file, in bytes. */
export const EXCERPT_BYTES = 1024;
