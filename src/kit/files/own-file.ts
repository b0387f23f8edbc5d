import { constants, lstatSync } from 'node:fs';
import { lstat, open } from 'node:fs/promises';

/** Flags for `open` that refuse a symbolic link, and do not wait for the other end of a pipe. */
export const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A path is occupied by something that is not ours, which was left unchanged. */
export class ForeignFile extends Error {
  readonly path: string;

  constructor(path: string, what: string) {
    super(`${path} is ${what}; it was not changed`);
    this.name = 'ForeignFile';
    this.path = path;
  }
}

/**
 * Describes what is at `path` where it must not be written: a symbolic link, something else than a regular file, or
 * content that `isOurs` denies (`other` says what it is not). Undefined if it is missing, empty or ours, and for a
 * directory, which fails when it is opened.
 */
export async function describeForeign(
  path: string,
  other: string,
  isOurs: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  const state = await lstat(path).catch(() => undefined);
  if (!state || state.isDirectory()) return undefined;
  if (state.isSymbolicLink()) return 'a symbolic link';
  if (!state.isFile()) return 'not a regular file';
  return state.size === 0 || (await isOurs(path).catch(() => false)) ? undefined : other;
}

/** Returns whether a file begins with this ASCII text, or is the beginning of it: what a full disk may leave. */
export async function beginsWith(path: string, text: string): Promise<boolean> {
  const file = await open(path, constants.O_RDONLY | NO_LINK);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(text.length), 0, text.length, 0);
    return text.startsWith(buffer.toString('latin1', 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** Returns whether a path is a symbolic link, to anything or nothing. */
export function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}
