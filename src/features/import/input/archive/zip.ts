import type { FileHandle } from 'node:fs/promises';
import { shell, shellPath } from '../../../../kit/shell.ts';
import { InputError, type Preparation } from '../input-error.ts';

/** A file in a zip archive (APPNOTE.TXT, sections 4.3.7 and 4.3.12). */
export interface ZipEntry {
  readonly name: string;
  /** 0: stored, 8: deflate. */
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Offset of its local header. */
  readonly offset: number;
}

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
const END64 = 0x06064b50;
const LOCATOR64 = 0x07064b50;
const END_BYTES = 22;
/** The longest comment after the end record. */
const MAX_COMMENT = 0xffff;
/** The most files in an archive. 20,000 took 268 MB, and a request each. */
const MAX_ENTRIES = 10_000;
/** The largest list of entries that is read, in bytes. */
const MAX_DIRECTORY = 5 * 1024 * 1024;
/** What one byte of deflate can hold at most, and the size of all files from which that is checked. */
const MAX_RATIO = 1032;
const RATIO_FROM = 64 * 1024 * 1024;
/** The fixed part of the header before the content of a file. */
const LOCAL_BYTES = 30;
const NO_VALUE = 0xffffffff;

/** Returns whether bytes are the start of a zip archive, which may be empty. */
export function isZip(head: Buffer): boolean {
  return head.length >= 4 && (head.readUInt32LE(0) === LOCAL || head.readUInt32LE(0) === END);
}

/** Lists the files of an archive in the order of its directory, without folders. Throws an InputError. */
export async function zipEntries(file: FileHandle, size: number, name: string): Promise<ZipEntry[]> {
  const end = await endRecord(file, size, name);
  if (!(end.offset + end.size <= size)) throw damaged(name, 'its list of files is damaged');
  if (end.entries > MAX_ENTRIES || end.size > MAX_DIRECTORY)
    throw new InputError(`${name} has more than ${MAX_ENTRIES} files.`, ...unzipped(name));
  const directory = await bytesAt(file, end.offset, end.size, name);
  const entries: ZipEntry[] = [];
  for (let at = 0, n = 0; n < end.entries; n++) {
    if (at + 46 > directory.length || directory.readUInt32LE(at) !== CENTRAL)
      throw damaged(name, 'its list of files is damaged');
    const lengths = [28, 30, 32].map((field) => directory.readUInt16LE(at + field)) as [
      number,
      number,
      number,
    ];
    const next = at + 46 + lengths[0] + lengths[1] + lengths[2];
    if (next > directory.length) throw damaged(name, 'its list of files is damaged');
    const entry = entryAt(directory, at, lengths, name);
    if (!entry.name.endsWith('/')) entries.push(entry);
    at = next;
    // The count has 16 bits, and some programs write lists of more.
    if (n === end.entries - 1 && at + 4 <= directory.length && directory.readUInt32LE(at) === CENTRAL)
      throw damaged(name, 'its list of files is damaged');
  }
  checkExtents(entries, end.offset, name);
  return entries;
}

/**
 * Checks that each file has bytes of its own, before the list, and that those can hold what they claim to: a small archive
 * whose entries share their content would expand without end.
 */
function checkExtents(entries: readonly ZipEntry[], end: number, name: string): void {
  let before = 0;
  let total = 0;
  for (const entry of [...entries].sort((a, b) => a.offset - b.offset)) {
    if (entry.offset < before) throw damaged(name, `${entry.name} overlaps another file`);
    before = entry.offset + LOCAL_BYTES + entry.compressedSize;
    if (!(before <= end)) throw damaged(name, `the content of ${entry.name} is not in it`);
    total += entry.size;
  }
  if (total > Math.max(RATIO_FROM, end * MAX_RATIO))
    throw damaged(name, 'its files claim to be larger than its bytes can hold');
}

/** Returns the offset of the content of an entry. */
export async function contentOffset(file: FileHandle, entry: ZipEntry, name: string): Promise<number> {
  const header = await bytesAt(file, entry.offset, LOCAL_BYTES, name);
  if (header.readUInt32LE(0) !== LOCAL) throw damaged(name, `the header of ${entry.name} is damaged`);
  return entry.offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
}

function entryAt(
  bytes: Buffer,
  at: number,
  [nameLength, extraLength]: readonly [number, number, number],
  archive: string,
): ZipEntry {
  const flags = bytes.readUInt16LE(at + 8);
  // Bit 11: the name is UTF-8. Otherwise it is an old code page, of which ASCII is the same.
  const name = bytes.toString(flags & 0x800 ? 'utf8' : 'latin1', at + 46, at + 46 + nameLength);
  const method = bytes.readUInt16LE(at + 10);
  if (flags & 1) throw new InputError(`${archive} is encrypted.`, ...unzipped(archive));
  if (method !== 0 && method !== 8 && !name.endsWith('/'))
    throw new InputError(
      `${name} in ${archive} is compressed by method ${method}, which is not supported.`,
      ...unzipped(archive),
    );
  const extra = bytes.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength);
  const wide = wideFields(extra);
  const field = (offset: number) => {
    const value = bytes.readUInt32LE(at + offset);
    return value === NO_VALUE ? (wide.shift() ?? value) : value;
  };
  // The order of the fields in the zip64 extra.
  const size = field(24);
  const compressedSize = field(20);
  const offset = field(42);
  return { name, method, crc32: bytes.readUInt32LE(at + 16), compressedSize, size, offset };
}

/** The 64-bit values of a zip64 extra field. */
function wideFields(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; ) {
    const length = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === 1) {
      const values: number[] = [];
      for (let i = at + 4; i + 8 <= Math.min(at + 4 + length, extra.length); i += 8)
        values.push(Number(extra.readBigUInt64LE(i)));
      return values;
    }
    at += 4 + length;
  }
  return [];
}

async function endRecord(file: FileHandle, size: number, name: string) {
  const length = Math.min(size, END_BYTES + MAX_COMMENT);
  const tail = await bytesAt(file, size - length, length, name);
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (tail.readUInt32LE(at) !== END) continue;
    const locator = at >= 20 && tail.readUInt32LE(at - 20) === LOCATOR64 ? at - 20 : -1;
    if (locator >= 0) {
      const position = Number(tail.readBigUInt64LE(locator + 8));
      if (position > size) throw damaged(name, 'its list of files is damaged');
      const wide = await bytesAt(file, position, 56, name);
      if (wide.readUInt32LE(0) !== END64) throw damaged(name, 'its list of files is damaged');
      return {
        entries: Number(wide.readBigUInt64LE(32)),
        size: Number(wide.readBigUInt64LE(40)),
        offset: Number(wide.readBigUInt64LE(48)),
      };
    }
    return {
      entries: tail.readUInt16LE(at + 10),
      size: tail.readUInt32LE(at + 12),
      offset: tail.readUInt32LE(at + 16),
    };
  }
  throw damaged(name, 'it has no list of files, so it is truncated');
}

async function bytesAt(file: FileHandle, position: number, length: number, name: string): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, position + done);
    if (bytesRead === 0) throw damaged(name, 'it is truncated');
    done += bytesRead;
  }
  return bytes;
}

function damaged(name: string, why: string): InputError {
  return new InputError(`${name} is a damaged zip archive: ${why}.`, `unzip -t ${shellPath(name)}`);
}

/** The next step for an archive that only unzip can read. */
function unzipped(archive: string): [string, { prepare: Preparation }] {
  const by = shell`unzip ${archive} -d unpacked`;
  return [by, { prepare: { by, name: archive, makes: 'unpacked' } }];
}
