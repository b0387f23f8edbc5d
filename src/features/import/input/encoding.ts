import type { ByteSource } from './bytes.ts';
import { ChunkSource, chunksOf } from './bytes.ts';

/** A byte that UTF-8 never has: a record with it is rejected, so that nothing is replaced in silence. */
const NEVER = 0xff;

/** Returns the name of an encoding that `TextDecoder` knows; undefined for any other. */
export function encodingName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** Returns the encoding of the byte order mark at the start of some text; undefined if it has none. */
export function markedEncoding(head: Uint8Array): string | undefined {
  if (head[0] === 0xff && head[1] === 0xfe) return head[2] === 0 && head[3] === 0 ? undefined : 'utf-16le';
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be';
  return undefined;
}

/** Converts text to UTF-8 as it is read. What is not a character of the encoding becomes bytes that are not UTF-8. */
export function transcoded(source: ByteSource, encoding: string): ByteSource {
  const chunks = chunksOf(source);
  const out = new ChunkSource(
    encoding.startsWith('utf-16')
      ? fromUtf16(chunks, encoding === 'utf-16be')
      : encoding === 'windows-1252'
        ? fromWindows1252(chunks)
        : fromOther(chunks, encoding),
  );
  return {
    read: (into, at, length) => out.read(into, at, length),
    async close() {
      await out.close();
      await source.close();
    },
  };
}

async function* fromOther(chunks: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  for await (const chunk of chunks) yield* encoded(decoder.decode(chunk, { stream: true }), '\uFFFD');
  yield* encoded(decoder.decode(), '\uFFFD');
}

/** The characters of the bytes 80 to 9F. The decoder of Node 20 reads them as control characters. */
const WINDOWS_1252 =
  '\u20AC\x81\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\x8D\u017D\x8F' +
  '\x90\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\x9D\u017E\u0178';

async function* fromWindows1252(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(fromLatin1(chunk));
}

async function* fromUtf16(chunks: AsyncIterable<Buffer>, bigEndian: boolean): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    let length = bytes.length - (bytes.length % 2);
    // The first half of a surrogate pair waits for the second one.
    if (length > 0 && (bytes[bigEndian ? length - 2 : length - 1]! & 0xfc) === 0xd8) length -= 2;
    rest = bytes.subarray(length);
    const units = bytes.subarray(0, length);
    yield* encoded((bigEndian ? units.swap16() : units).toString('utf16le'), undefined);
  }
  if (rest.length > 0) yield Buffer.from([NEVER]);
}

/** Encodes text as UTF-8, with the byte NEVER for each `invalid` character, or each half of a surrogate pair. */
function* encoded(text: string, invalid: string | undefined): Generator<Buffer> {
  if (text === '') return;
  if (invalid === undefined ? text.isWellFormed() : !text.includes(invalid)) {
    yield Buffer.from(text);
    return;
  }
  const parts =
    invalid === undefined
      ? text.split(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/)
      : text.split(invalid);
  const bytes = Buffer.allocUnsafe(text.length * 3);
  let length = 0;
  for (const [index, part] of parts.entries()) {
    if (index > 0) bytes[length++] = NEVER;
    if (part !== '') length += bytes.write(part, length);
  }
  yield bytes.subarray(0, length);
}

/** Reads all of some bytes as text; undefined if they are not text of the encoding. */
export function decodedText(bytes: Uint8Array, encoding: string): string | undefined {
  const text = textIn(bytes, encoding);
  return text.includes('\uFFFD') ? undefined : text;
}

/** Reads all of some bytes as text, with U+FFFD for what is not text of the encoding. */
export function textIn(bytes: Uint8Array, encoding: string): string {
  return encoding === 'windows-1252'
    ? fromLatin1(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
    : new TextDecoder(encoding).decode(bytes);
}

function fromLatin1(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (c) => WINDOWS_1252[c.charCodeAt(0) - 0x80]!);
}
