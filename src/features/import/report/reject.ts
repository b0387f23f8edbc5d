import type { ValidationError } from '../transform/validation-errors.ts';

/** One record that was not sent or not taken, as a line of the rejects file (command-line.md, "events import"). */
export interface Reject {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Byte offset of the record in the decompressed input. */
  readonly offset: number;
  readonly field: string;
  readonly reason: string;
  /** HTTP status and request id, where the service refused the record. */
  readonly status?: number;
  readonly requestId?: string;
  /** The record as it was read; fixed, it can be imported again. */
  readonly raw: string;
  /** The exact bytes, where they are no UTF-8 and `raw` could not hold them. */
  readonly rawBase64?: string;
  /** True where the record is too long to be kept whole. */
  readonly truncated?: true;
  /** The flags that would mend it (see Fault); not written. */
  readonly fixableBy?: ValidationError['fixableBy'];
}

/** How much of an over-long record is shown, in bytes. */
export const SHOWN_BYTES = 1024;
