import { closeSync, openSync, readSync, statSync } from 'node:fs';

const HEADER_BYTES = 100;

/**
 * Detects damage that SQLite does not report: an empty file, which it treats as new, and a file that is shorter than its
 * header says, which it pads with zeros. A file with a write-ahead log may be shorter and is left to SQLite, as is any
 * other damage (SQLite database file format, section 1.3).
 */
export function sqliteFileFault(path: string): 'empty' | 'cut short' | undefined {
  let size: number;
  try {
    const state = statSync(path);
    if (!state.isFile()) return undefined;
    size = state.size;
    if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return undefined;
  } catch {
    return undefined;
  }
  if (size === 0) return 'empty';
  const header = sqliteHeader(path);
  if (!header) return undefined;
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  // The page count is valid only if both copies of the change counter agree.
  const valid = header.readUInt32BE(24) === header.readUInt32BE(92);
  return valid && size < header.readUInt32BE(28) * pageSize ? 'cut short' : undefined;
}

/** Reads the header of an SQLite file; undefined if it is not one or cannot be read. */
export function sqliteHeader(path: string): Buffer | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const header = Buffer.alloc(HEADER_BYTES);
      const complete = readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES;
      return complete && header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
