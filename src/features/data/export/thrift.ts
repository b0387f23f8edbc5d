/** A field of a struct in Thrift's compact protocol, in which the metadata of Parquet is written. */
type ThriftValue =
  | { readonly i32: number }
  | { readonly i64: number | bigint }
  | { readonly binary: Uint8Array }
  | { readonly struct: ThriftStruct }
  | { readonly i32s: readonly number[] }
  | { readonly binaries: readonly Uint8Array[] }
  | { readonly structs: readonly ThriftStruct[] };

/** Fields by their number, in rising order. */
export type ThriftStruct = Readonly<Record<number, ThriftValue | undefined>>;

const I32 = 5;
const I64 = 6;
const BINARY = 8;
const LIST = 9;
const STRUCT = 12;

/** Writes a struct in Thrift's compact protocol (thrift-compact-protocol.md). */
export function thriftOf(struct: ThriftStruct): Buffer {
  const out: number[] = [];
  writeStruct(out, struct);
  return Buffer.from(out);
}

function writeStruct(out: number[], struct: ThriftStruct): void {
  let last = 0;
  for (const [key, value] of Object.entries(struct)) {
    if (value === undefined) continue;
    const number = Number(key);
    // The numbers of Parquet's fields are less than 16 apart.
    out.push(((number - last) << 4) | typeOf(value));
    last = number;
    writeValue(out, value);
  }
  out.push(0);
}

function typeOf(value: ThriftValue): number {
  if ('i32' in value) return I32;
  if ('i64' in value) return I64;
  if ('binary' in value) return BINARY;
  return 'struct' in value ? STRUCT : LIST;
}

function writeValue(out: number[], value: ThriftValue): void {
  if ('i32' in value) writeVarint(out, zigzag(value.i32));
  else if ('i64' in value) writeVarint(out, zigzag(value.i64));
  else if ('binary' in value) writeBinary(out, value.binary);
  else if ('struct' in value) writeStruct(out, value.struct);
  else if ('i32s' in value) writeList(out, I32, value.i32s, (each) => writeVarint(out, zigzag(each)));
  else if ('binaries' in value) writeList(out, BINARY, value.binaries, (each) => writeBinary(out, each));
  else writeList(out, STRUCT, value.structs, (each) => writeStruct(out, each));
}

function writeList<T>(out: number[], type: number, list: readonly T[], write: (each: T) => void): void {
  if (list.length < 15) out.push((list.length << 4) | type);
  else {
    out.push(0xf0 | type);
    writeVarint(out, BigInt(list.length));
  }
  for (const each of list) write(each);
}

function writeBinary(out: number[], bytes: Uint8Array): void {
  writeVarint(out, BigInt(bytes.length));
  for (const byte of bytes) out.push(byte);
}

const zigzag = (value: number | bigint): bigint =>
  BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));

function writeVarint(out: number[], value: bigint): void {
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80);
  out.push(Number(rest));
}
