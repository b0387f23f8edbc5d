import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { shellPath } from '../../../../kit/shell.ts';
import { InputError } from '../../transform/input-error.ts';
import type { ByteSource } from '../bytes.ts';
import { decompressed } from '../decompress.ts';
import { contentOffset, type ZipEntry } from './zip.ts';

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
  const plain = entry.method === 0 ? packed : decompressed(packed, 'deflate', name);
  let sum = 0;
  let size = 0;
  return {
    taken: () => position - start,
    bytes: {
      async read(into, at, length) {
        const count = await plain.read(into, at, length);
        sum = crc32(into.subarray(at, at + count), sum);
        size += count;
        if (count === 0 && length > 0 && (size !== entry.size || sum !== entry.crc32))
          throw damaged(archive, entry, 'its length or checksum does not match');
        return count;
      },
      close: () => plain.close(),
    },
  };
}

function damaged(archive: string, entry: ZipEntry, why: string): InputError {
  return new InputError(`${entry.name} in ${archive} is damaged: ${why}.`, `unzip -t ${shellPath(archive)}`);
}
