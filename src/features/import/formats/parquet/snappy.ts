/**
 * Decompresses a snappy block (format_description.txt) into all of `output`. Throws for damaged data, and data of another
 * length.
 */
export function decompressSnappy(input: Uint8Array, output: Uint8Array): Uint8Array {
  const { length } = output;
  let at = 0;
  let filled = 0;
  const number = (bytes: number) => {
    let value = 0;
    for (let i = 0; i < bytes; i++) value += (input[at + i] ?? 0) * 2 ** (8 * i);
    at += bytes;
    return value;
  };
  // The length of the content comes first, 7 bits a byte.
  let declared = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = number(1);
    declared += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (declared !== length) throw new Error('snappy data is damaged');
  while (at < input.length) {
    const tag = number(1);
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const count = (short < 60 ? short : number(short - 59)) + 1;
      if (at + count > input.length || filled + count > length) throw new Error('snappy data is damaged');
      output.set(input.subarray(at, at + count), filled);
      at += count;
      filled += count;
      continue;
    }
    const count = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const offset = kind === 1 ? (tag >> 5) * 256 + number(1) : number(kind === 2 ? 2 : 4);
    if (at > input.length || offset === 0 || offset > filled || filled + count > length)
      throw new Error('snappy data is damaged');
    // Byte by byte: a copy may overlap what it produces.
    for (let i = 0; i < count; i++, filled++) output[filled] = output[filled - offset]!;
  }
  if (filled !== length) throw new Error('snappy data is truncated');
  return output;
}
