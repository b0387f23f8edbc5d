/** Blocks, one for each copy: capacity and origin of each, and their numbers one after another. */
export type StoredBlocks = [capacities: number[], origins: number[], means: string, covariances: string];

/** A model as it is stored. */
export interface Stored {
  version: number;
  counts: number[];
  evidence: string;
  calibration: [counts: string, errors: string];
  tables: [rows: [number, number][], counts: [number, number][], total: [number, number]][];
  numbers: [number[], values: number[], owners: number[]][];
  categories: [string, ...StoredBlocks][];
  attributes: [number, ...StoredBlocks][];
  contents: [string, number[], linear: StoredBlocks, ...StoredBlocks][];
  pairs: number[][];
  recent: [number, string, number, number, number, number, number][];
  /** The decisions of `recent` that are to be counted. */
  waiting: number[];
  pending: [number[], string[], string | null, (number | null)[][], attributes: number[]][];
  predicted: string;
  delays: [part: string, earned: number, kept: number[][]][];
  sums: [string, number][];
  lastFall: number | null;
  resetAt?: number | null;
}

/** Little-endian IEEE 754 numbers in base64: exact, and a third of the size of decimal digits. */
export const pack = (values: Float64Array | Float32Array): string =>
  Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');

/** Reads numbers of eight bytes. Throws unless there are `length` finite ones. */
export function unpack(text: string, length: number): Float64Array {
  const values = new Float64Array(length);
  fill(values, text);
  return values;
}

/** Reads numbers of four bytes. Throws unless there are `length` finite ones. */
export function unpackSingle(text: string, length: number): Float32Array {
  const values = new Float32Array(length);
  fill(values, text);
  return values;
}

/** Several arrays as one, in their order. */
export function joined(parts: readonly Float64Array[]): Float64Array;
export function joined(parts: readonly Float32Array[]): Float32Array;
export function joined(parts: readonly (Float64Array | Float32Array)[]): Float64Array | Float32Array {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const whole = parts[0] instanceof Float32Array ? new Float32Array(length) : new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function fill(values: Float64Array | Float32Array, text: string): void {
  const bytes = Buffer.from(text, 'base64');
  must(bytes.length === values.byteLength);
  Buffer.from(values.buffer).set(bytes);
  must(values.every(Number.isFinite));
}

/** Checks that values are that many finite numbers. */
export function numbers(values: unknown, length: number): number[] {
  must(Array.isArray(values) && values.length === length && values.every(Number.isFinite));
  return values as number[];
}

export function must(sound: boolean): void {
  if (!sound) throw new RangeError('not a sound model');
}
