import type { Mapping } from '../transform/mapping.ts';
import { scanEvent, scanned } from '../transform/scan-event.ts';
import { checkRecord } from '../transform/validate.ts';
import type { ValidationError } from '../transform/validation-errors.ts';

const LINE_FEED = 0x0a;

/** Writes records that were made from rows to a buffer, one at a time, and validates them. */
export class RecordBytes {
  bytes: Buffer = Buffer.allocUnsafeSlow(4096);
  /** Bytes of the record in `bytes`. */
  length = 0;
  /** Index of its timestamp; -1 if unknown. */
  time = -1;

  /** Writes a record that is valid. */
  write(text: string): void {
    if (text.length * 3 + 1 > this.bytes.length) this.bytes = Buffer.allocUnsafeSlow(text.length * 3 + 1024);
    this.length = this.bytes.write(text, 'utf8');
    this.time = -1;
  }

  /** Writes a record and validates it: by the scan, and by the schema if the scan cannot decide. */
  put(text: string, known: readonly ValidationError[], mapping: Mapping): ValidationError | null {
    if (known.length > 0) return checkRecord(mapping, text, known);
    this.write(text);
    if (!mapping.validate) return checkRecord(mapping, text);
    this.bytes[this.length] = LINE_FEED;
    if (mapping.kind === 'events' && scanEvent(this.bytes, 0) === this.length) {
      this.time = scanned.timestamp;
      return null;
    }
    return checkRecord(mapping, text);
  }
}
