import { closeSync, openSync, readSync } from 'node:fs';

/** The log (`-wal`) begins with a header; each page in it follows a header of its own. */
const LOG_HEADER = { bytes: 32, pageBytes: 8, salt: 16 } as const;
const FRAME_HEADER = { bytes: 24, page: 0, salt: 8 } as const;
const SALT_BYTES = 8;

/** A position in the log. When the log begins again at its start, its salt changes. */
export interface LogPosition {
  readonly salt: string;
  /** The number of pages before it. */
  readonly frames: number;
}

/** The salt of the log; empty if there is no log. */
export function saltOf(log: string): string {
  return readLog(log, (_, { salt }) => salt) ?? '';
}

/** The numbers of the pages that were written to the log since a position, each once. */
export function writtenPages(log: string, since: LogPosition): Set<number> {
  const pages = new Set<number>();
  readLog(log, (read, { salt, pageBytes }) => {
    const frameBytes = FRAME_HEADER.bytes + pageBytes;
    const header = Buffer.alloc(FRAME_HEADER.bytes);
    for (let frame = since.salt === salt ? since.frames : 0; ; frame++) {
      if (!read(header, LOG_HEADER.bytes + frame * frameBytes)) return;
      // What follows was written before the log began again.
      if (textAt(header, FRAME_HEADER.salt) !== salt) return;
      pages.add(header.readUInt32BE(FRAME_HEADER.page));
    }
  });
  return pages;
}

type Read = (into: Buffer, at: number) => boolean;

/** Calls `use` with the open log and its header. Undefined if there is no log, or nothing in it. */
function readLog<T>(
  log: string,
  use: (read: Read, header: { salt: string; pageBytes: number }) => T,
): T | undefined {
  let file: number;
  try {
    file = openSync(log, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const read: Read = (into, at) => readSync(file, into, 0, into.length, at) === into.length;
    const header = Buffer.alloc(LOG_HEADER.bytes);
    if (!read(header, 0)) return undefined;
    return use(read, {
      salt: textAt(header, LOG_HEADER.salt),
      pageBytes: header.readUInt32BE(LOG_HEADER.pageBytes),
    });
  } finally {
    closeSync(file);
  }
}

const textAt = (bytes: Buffer, at: number) => bytes.toString('hex', at, at + SALT_BYTES);
