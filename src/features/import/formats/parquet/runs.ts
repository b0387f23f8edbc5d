/** Numbers of some bits each. */
export type Numbers = Uint8Array | Uint32Array;

const damaged = () => new Error('the values of a page are damaged');

/**
 * Decodes `count` numbers of `width` bits in runs (encoding RLE, with bit-packed runs). Throws if the bytes do not hold
 * them. A run is never longer than what is left to decode, whatever it says.
 */
export function readRuns(bytes: Uint8Array, width: number, count: number): Numbers {
  if (width > 32) throw damaged();
  const values = width <= 8 ? new Uint8Array(count) : new Uint32Array(count);
  const valueBytes = (width + 7) >> 3;
  let at = 0;
  for (let filled = 0; filled < count; ) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= bytes.length || shift > 28) throw damaged();
      const byte = bytes[at++]!;
      header += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    const half = Math.floor(header / 2);
    const wanted = Math.min((header & 1) === 1 ? half * 8 : half, count - filled);
    if ((header & 1) === 1) {
      // Padding at the end of the last run may be missing.
      if (at + Math.ceil((wanted * width) / 8) > bytes.length) throw damaged();
      if (width <= 24) unpack(bytes, at, width, values, filled, wanted);
      else unpackWide(bytes, at, width, values, filled, wanted);
      at += half * width;
    } else {
      if (at + valueBytes > bytes.length) throw damaged();
      let value = 0;
      for (let i = 0; i < valueBytes; i++) value += bytes[at++]! * 2 ** (8 * i);
      if (value >= 2 ** width) throw damaged();
      values.fill(value, filled, filled + wanted);
    }
    filled += wanted;
  }
  return values;
}

function unpack(bytes: Uint8Array, at: number, width: number, into: Numbers, from: number, count: number) {
  const mask = 2 ** width - 1;
  let bits = 0;
  let held = 0;
  for (let i = from; i < from + count; i++) {
    for (; held < width; held += 8) bits |= bytes[at++]! << held;
    into[i] = bits & mask;
    bits >>>= width;
    held -= width;
  }
}

/** The same for numbers of more than 24 bits, which need more than 32 with the bits before them. */
function unpackWide(
  bytes: Uint8Array,
  at: number,
  width: number,
  into: Numbers,
  from: number,
  count: number,
) {
  let bits = 0;
  let held = 0;
  for (let i = from; i < from + count; i++) {
    for (; held < width; held += 8) bits += bytes[at++]! * 2 ** held;
    into[i] = bits % 2 ** width;
    bits = Math.floor(bits / 2 ** width);
    held -= width;
  }
}

/** Checks `count` numbers of the encoding DELTA_BINARY_PACKED before they are decoded. */
export function checkDeltas(bytes: Uint8Array, start: number, count: number): void {
  let at = start;
  const varint = () => {
    let value = 0;
    for (let i = 0; i < 10; i++) {
      if (at >= bytes.length) throw damaged();
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) return value;
    }
    throw damaged();
  };
  const block = varint();
  const parts = varint();
  const total = varint();
  varint();
  const each = block / parts;
  if (total !== count || !(block <= 1024 * 1024 && each >= 8 && each % 8 === 0)) throw damaged();
  for (let left = count - 1; left > 0; ) {
    varint();
    const widths = bytes.subarray(at, at + parts);
    at += parts;
    for (let i = 0; i < parts && left > 0; i++, left -= each) {
      const width = widths[i];
      if (width === undefined || width > 64) throw damaged();
      // The padding of the last part may be missing.
      if (at + Math.ceil((Math.min(each, left) * width) / 8) > bytes.length) throw damaged();
      at += (each * width) / 8;
    }
  }
}
