/** The bytes end within a value: more of them may complete it. */
export class Unfinished extends Error {
  constructor() {
    super('the file is truncated');
  }
}

/** Parts of a struct of metadata. A column of a row group has about 40, and each part needs some 50 bytes once parsed. */
const MAX_PARTS = 1024 * 1024;
/** Structs and lists inside each other. Parquet has about 8. */
const MAX_DEPTH = 32;

/**
 * Checks a struct of the Thrift compact protocol and returns where it ends, so that its parser is not given a length that
 * the bytes do not hold. Throws Unfinished if the bytes end first.
 */
export function thriftEnd(bytes: Uint8Array, start = 0): number {
  const walk = new Walk(bytes, start);
  walk.struct(0);
  return walk.at;
}

const damaged = () => new Error('its metadata are damaged');
const tooMany = () => new Error('its metadata describe more columns and row groups than can be read');

class Walk {
  at: number;
  private parts = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array, start: number) {
    this.bytes = bytes;
    this.at = start;
  }

  struct(depth: number): void {
    if (depth > MAX_DEPTH) throw damaged();
    for (;;) {
      const head = this.byte();
      if ((head & 15) === 0) return;
      if (head >> 4 === 0) this.varint();
      this.value(head & 15, depth);
    }
  }

  private value(type: number, depth: number): void {
    if (++this.parts > MAX_PARTS) throw tooMany();
    if (type <= 2) return;
    if (type === 3) this.skip(1);
    else if (type <= 6) this.varint();
    else if (type === 7) this.skip(8);
    else if (type === 8) this.skip(this.varint());
    else if (type === 9) this.list(depth + 1);
    else if (type === 12) this.struct(depth + 1);
    else throw damaged();
  }

  private list(depth: number): void {
    if (depth > MAX_DEPTH) throw damaged();
    const head = this.byte();
    const type = head & 15;
    const length = head >> 4 === 15 ? this.varint() : head >> 4;
    if (length > MAX_PARTS) throw damaged();
    // Each value has a byte at least.
    if (length > this.bytes.length - this.at) throw new Unfinished();
    // The values of a list of booleans have a byte each.
    for (let i = 0; i < length; i++) this.value(type === 1 || type === 2 ? 3 : type, depth);
  }

  private byte(): number {
    if (this.at >= this.bytes.length) throw new Unfinished();
    return this.bytes[this.at++]!;
  }

  private skip(length: number): void {
    this.at += length;
    if (this.at > this.bytes.length) throw new Unfinished();
  }

  private varint(): number {
    let value = 0;
    for (let i = 0; i < 10; i++) {
      const byte = this.byte();
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw damaged();
  }
}
