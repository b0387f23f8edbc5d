/** Decompresses an LZ4 block (lz4_Block_format.md) whose content has `length` bytes. Throws for damaged data. */
export function decompressLz4(input: Uint8Array, length: number): Uint8Array {
  const output = new Uint8Array(length);
  let at = 0;
  let filled = 0;
  const more = (first: number) => {
    if (first < 15) return first;
    let sum = first;
    for (let byte = 255; byte === 255; sum += byte) {
      if (at >= input.length) throw new Error('LZ4 data is truncated');
      byte = input[at++]!;
    }
    return sum;
  };
  while (at < input.length) {
    const token = input[at++]!;
    const literals = more(token >> 4);
    if (at + literals > input.length || filled + literals > length) throw new Error('LZ4 data is damaged');
    output.set(input.subarray(at, at + literals), filled);
    at += literals;
    filled += literals;
    // The last sequence has no match.
    if (at === input.length) break;
    const offset = input[at]! | (input[at + 1]! << 8);
    at += 2;
    const count = more(token & 15) + 4;
    if (offset === 0 || offset > filled || filled + count > length) throw new Error('LZ4 data is damaged');
    // Byte by byte: a match may overlap what it produces.
    for (let i = 0; i < count; i++, filled++) output[filled] = output[filled - offset]!;
  }
  if (filled !== length) throw new Error('LZ4 data is truncated');
  return output;
}

/** Bytes before a block of Hadoop's framing: the sizes of its content and of the block, big-endian. */
const SIZES = 8;

/**
 * Decompresses what Parquet calls LZ4: blocks in the framing of Hadoop, or one block without, which nothing tells apart but
 * the sizes. Throws for damaged data.
 */
export function decompressFramedLz4(input: Uint8Array, length: number): Uint8Array {
  return fromHadoop(input, length) ?? decompressLz4(input, length);
}

function fromHadoop(input: Uint8Array, length: number): Uint8Array | undefined {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const output = new Uint8Array(length);
  let at = 0;
  let filled = 0;
  while (at + SIZES <= input.length) {
    const content = view.getUint32(at);
    const block = view.getUint32(at + 4);
    const end = at + SIZES + block;
    if (end > input.length || filled + content > length) return undefined;
    try {
      output.set(decompressLz4(input.subarray(at + SIZES, end), content), filled);
    } catch {
      return undefined;
    }
    at = end;
    filled += content;
  }
  return at === input.length && filled === length ? output : undefined;
}
