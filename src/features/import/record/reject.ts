import type { ValidationError } from './validation-errors.ts';

/** A rejected record, as a line of the rejects file (command-line.md, "events import"). */
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
}

/** How much of a record that is too long is written to the rejects file, in bytes. */
export const EXCERPT_BYTES = 1024;
