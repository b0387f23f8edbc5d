import type { FileHandle } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import { shellPath } from '../../../../kit/shell.ts';
import { type ByteSource, bytesOf } from '../bytes.ts';
import { decompressed } from '../decompress.ts';
import { InputError } from '../input-error.ts';
import { contentOffset, type ZipEntry } from './zip.ts';

/** Up to this many bytes, a stream would cost more than the content. */
const SMALL = 64 * 1024;

/** The content of an entry, and how many of its compressed bytes were read. */
export interface ZipContent {
  readonly bytes: ByteSource;
  taken(): number;
}

/** Opens the content of an entry, whose length and checksum are verified at its end. */
export async function zipContent(file: FileHandle, entry: ZipEntry, archive: string): Promise<ZipContent> {
  let position = await contentOffset(file, entry, archive);
  const start = position;
  const end = position + entry.compressedSize;
  const packed: ByteSource = {
    async read(into, at, length) {
      const wanted = Math.min(length, end - position);
      if (wanted <= 0) return 0;
      const { bytesRead } = await file.read(into, at, wanted, position);
      if (bytesRead === 0) throw damaged(archive, entry, 'the archive is truncated');
      position += bytesRead;
      return bytesRead;
    },
    close: async () => undefined,
  };
  const name = `${entry.name} in ${archive}`;
  const isSmall = Math.max(entry.size, entry.compressedSize) <= SMALL;
  const plain =
    entry.method === 0
      ? packed
      : isSmall
        ? inflatedAtOnce(packed, entry, archive)
        : decompressed(packed, 'deflate', name);
  let sum = 0;
  let size = 0;
  return {
    taken: () => position - start,
    bytes: {
      async read(into, at, length) {
        const count = await plain.read(into, at, length);
        sum = crc32(into.subarray(at, at + count), sum);
        size += count;
        const over = count === 0 && length > 0;
        if (size > entry.size || (over && (size !== entry.size || sum !== entry.crc32)))
          throw damaged(archive, entry, 'its length or checksum does not match');
        return count;
      },
      close: () => plain.close(),
    },
  };
}

/** Decompresses a small entry when it is read first. */
function inflatedAtOnce(packed: ByteSource, entry: ZipEntry, archive: string): ByteSource {
  let plain: ByteSource | undefined;
  const inflate = async () => {
    const bytes = Buffer.allocUnsafe(entry.compressedSize);
    for (let at = 0; at < bytes.length; ) at += await packed.read(bytes, at, bytes.length - at);
    try {
      // One byte more than it claims shows that it claims too little.
      return bytesOf(inflateRawSync(bytes, { maxOutputLength: entry.size + 1 }));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const isOver = code === 'ERR_BUFFER_TOO_LARGE';
      throw damaged(archive, entry, isOver ? 'its content is longer than the archive says' : message);
    }
  };
  return {
    async read(into, at, length) {
      plain ??= await inflate();
      return plain.read(into, at, length);
    },
    close: async () => undefined,
  };
}

function damaged(archive: string, entry: ZipEntry, why: string): InputError {
  return new InputError(`${entry.name} in ${archive} is damaged: ${why}.`, `unzip -t ${shellPath(archive)}`);
}
