import { isUtf8 } from 'node:buffer';
import type { CellPlaces } from '../../transform/row-writer.ts';

/** The text of the cells of one row, one after the other in `bytes`. */
export class RowCells implements CellPlaces {
  bytes: Buffer = Buffer.allocUnsafeSlow(4096);
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly quotes: Uint8Array;
  length = 0;
  private cell = 0;

  constructor(count: number) {
    this.start = new Int32Array(count);
    this.end = new Int32Array(count);
    this.quotes = new Uint8Array(count);
  }

  /** Starts a row. */
  clear(): void {
    this.length = 0;
    this.cell = 0;
  }

  /** Adds a cell with the text in `bytes[from..to)`; returns false if that is not UTF-8. */
  addBytes(bytes: Uint8Array, from: number, to: number): boolean {
    this.reserve(to - from);
    const into = this.bytes;
    let at = this.length;
    let all = 0;
    for (let i = from; i < to; i++) {
      const byte = bytes[i]!;
      all |= byte;
      into[at++] = byte;
    }
    const valid = all < 0x80 || isUtf8(into.subarray(this.length, at));
    this.close(at);
    return valid;
  }

  addText(text: string): void {
    this.reserve(text.length * 3);
    const into = this.bytes;
    let at = this.length;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) {
        at = this.length + into.write(text, this.length, 'utf8');
        break;
      }
      into[at++] = code;
    }
    this.close(at);
  }

  private close(end: number): void {
    this.start[this.cell] = this.length;
    this.end[this.cell] = end;
    this.cell++;
    this.length = end;
  }

  private reserve(length: number): void {
    if (this.length + length <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * (this.length + length));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }
}
