import { closeSync, openSync, readSync, statSync } from 'node:fs';

const HEADER_BYTES = 100;

/**
 * Looks for what SQLite itself would pass over: a file without a byte, which it takes for a new one, and a file that
 * ends before the last page its header speaks of, which it fills with zeros. A file with a log beside it may be behind,
 * and is left to SQLite; so is whatever else is not as it should be. (SQLite database file format, section 1.3.)
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
  // The count is only kept by versions that also write the change counter twice.
  const kept = header.readUInt32BE(24) === header.readUInt32BE(92);
  return kept && size < header.readUInt32BE(28) * pageSize ? 'cut short' : undefined;
}

/** The first 100 bytes of an SQLite file; undefined where it is none, or cannot be read. */
export function sqliteHeader(path: string): Buffer | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const header = Buffer.alloc(HEADER_BYTES);
      const whole = readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES;
      return whole && header.toString('latin1', 0, 16) === 'SQLite format 3\0' ? header : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}
