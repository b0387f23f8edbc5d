import { crc32, deflateRawSync } from 'node:zlib';

/** A file to put into an archive; what it claims may be a lie. */
export interface Member {
  readonly name: string;
  readonly content: Buffer;
  /** The length that it claims. */
  readonly size?: number;
}

/** Lists entries that are not those of the archive: each of the headers of `listed` may name any of its members. */
export interface ZipLies {
  /** How often the first member is listed, under other names. */
  readonly repeated?: number;
  /** Where a 64-bit end record is said to be. */
  readonly end64?: bigint;
}

/** Writes an archive member by member, also one that no program writes. */
export function rawZip(members: readonly Member[], { repeated = 0, end64 }: ZipLies = {}): Buffer {
  const parts: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const { name, content, size = content.length } of members) {
    const packed = deflateRawSync(content);
    const sizes = [crc32(content), packed.length, size] as const;
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    fields(header, 4, sizes, name);
    list.push(listed(name, sizes, at));
    for (let n = 0; n < repeated; n++) list.push(listed(`${n}-${name}`, sizes, at));
    parts.push(header, Buffer.from(name), packed);
    at += header.length + name.length + packed.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Math.min(list.length, 0xffff), 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  const locator = Buffer.alloc(end64 === undefined ? 0 : 20);
  if (end64 !== undefined) {
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(end64, 8);
  }
  return Buffer.concat([...parts, directory, locator, end]);
}

function listed(name: string, sizes: readonly [number, number, number], offset: number): Buffer {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  fields(entry, 6, sizes, name);
  entry.writeUInt32LE(offset, 42);
  return Buffer.concat([entry, Buffer.from(name)]);
}

/** The fields that both headers of a member have. */
function fields(into: Buffer, at: number, sizes: readonly number[], name: string): void {
  into.writeUInt16LE(20, at);
  into.writeUInt16LE(8, at + 4);
  for (const [n, value] of sizes.entries()) into.writeUInt32LE(value, at + 10 + 4 * n);
  into.writeUInt16LE(name.length, at + 22);
}
