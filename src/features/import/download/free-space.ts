import { statfsSync } from 'node:fs';

/** Bytes of a disk that a download leaves free. */
export const REQUIRED_FREE = 64 * 1024 * 1024;

/** The bytes that this user may still write in the file system of a folder; Infinity where it does not say. */
export function freeSpace(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
