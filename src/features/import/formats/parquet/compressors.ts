import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { decompress as unzstd } from 'fzstd';
import type { Compressors } from 'hyparquet';
import { decompressFramedLz4, decompressLz4 } from './lz4.ts';
import { decompressSnappy } from './snappy.ts';

/** The codecs whose content is written where the caller says. */
const INTO_PLACE = ['SNAPPY', 'ZSTD'];

/** Returns whether the content of a page in the codec is written into the place that `compressorsInto` gets. */
export function isWrittenInPlace(codec: string): boolean {
  return INTO_PLACE.includes(codec);
}

/** Makes the decompressors of pages. `place` returns where a content of some bytes may be written. */
export function compressorsInto(place: (length: number) => Uint8Array): Compressors {
  return {
    SNAPPY: (input, length) => decompressSnappy(input, place(length)),
    ZSTD: (input, length) => unzstd(input, notText(place(length))),
    GZIP: (input, length) => gunzipSync(input, atOnce(length)),
    BROTLI: (input, length) => brotliDecompressSync(input, atOnce(length)),
    LZ4: decompressFramedLz4,
    LZ4_RAW: decompressLz4,
  };
}

/** Options for a content in one piece: pieces that are put together need its memory twice. */
function atOnce(length: number) {
  return { maxOutputLength: Math.max(1, length), chunkSize: Math.max(64, length + 1) };
}

/** fzstd compares the place with a number, which would make a text of all its bytes: four times their memory. */
function notText(place: Uint8Array): Uint8Array {
  return Object.defineProperty(place, Symbol.toPrimitive, { value: () => Number.NaN });
}
