import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { describeFileProblem } from '../../../kit/files/file-trouble.ts';
import { describeForeign, NO_LINK } from '../../../kit/files/own-file.ts';
import { REJECT_HEAD_BYTES, type Reject, rejectedFile } from '../record/reject.ts';

/**
 * Writes the rejects file, NDJSON, which is created for the first reject. It is written before the journal, and
 * truncated to the length in the journal when an import is resumed, so that it holds each reject once.
 */
export class RejectsFile {
  readonly path: string;
  private length: number;
  private readonly mode: number;
  private file: FileHandle | undefined;

  /** `keep`: length in bytes of the rejects of earlier runs. `mode`: private, as rejects contain user data. */
  constructor(path: string, keep = 0, mode = 0o600) {
    this.path = path;
    this.length = keep;
    this.mode = mode;
  }

  /** Appends rejects and syncs them; resolves to the new length of the file in bytes. Calls must not overlap. */
  async append(rejects: readonly Reject[]): Promise<number> {
    this.file ??= await this.open();
    const bytes = Buffer.from(
      rejects.map(({ fixableBy: _, violations: __, ...line }) => `${JSON.stringify(line)}\n`).join(''),
    );
    let written = 0;
    while (written < bytes.length) {
      const result = await this.file.write(bytes, written, bytes.length - written, this.length + written);
      written += result.bytesWritten;
    }
    await this.file.datasync();
    this.length += bytes.length;
    return this.length;
  }

  async close(): Promise<void> {
    await this.file?.close();
    this.file = undefined;
  }

  /** Removes the rejects that an interrupted run wrote but did not settle. Call it when an import is resumed. */
  async trim(): Promise<void> {
    if (this.length > 0) this.file ??= await this.open();
  }

  private async open(): Promise<FileHandle> {
    const foreign = await foreignRejects(this.path);
    if (foreign) throw new RejectsForeign(this.path, foreign);
    if (this.length === 0) return this.create();
    const flags = constants.O_RDWR | NO_LINK;
    const file = await open(this.path, flags).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      // The user moved the file away: continue with a new one.
      this.length = 0;
      return this.create();
    });
    const { size } = await file.stat();
    if (size < this.length) this.length = size;
    await file.truncate(this.length);
    return file;
  }

  /** Creates a file and renames it into place, so that a file or link at that path is never written through. */
  private async create(): Promise<FileHandle> {
    const temporary = `${this.path}.${randomBytes(4).toString('hex')}.tmp`;
    const file = await open(temporary, 'wx+', this.mode).catch((error: NodeJS.ErrnoException) => {
      throw DENIED.has(error.code ?? '') ? new RejectsDenied(this.path, error) : error;
    });
    try {
      await rename(temporary, this.path);
      return file;
    } catch (error) {
      await file.close();
      await unlink(temporary);
      throw error;
    }
  }
}

/** The errors of a folder in which nothing may be created. */
const DENIED = new Set(['EACCES', 'EPERM', 'EROFS']);

/** The rejects file may not be created in its folder. */
export class RejectsDenied extends Error {
  readonly path: string;

  constructor(path: string, cause: NodeJS.ErrnoException) {
    super(`${describeFileProblem(path, cause, 'write').message} (the rejects file)`, { cause });
    this.name = 'RejectsDenied';
    this.path = path;
  }
}

/** The path of the rejects file is occupied by something else. */
export class RejectsForeign extends Error {
  readonly path: string;

  constructor(path: string, what: string) {
    super(`${path} is ${what} and would be overwritten`);
    this.name = 'RejectsForeign';
    this.path = path;
  }
}

/** Describes what is at `path` if it is neither missing nor empty nor a rejects file. */
export function foreignRejects(path: string): Promise<string | undefined> {
  return describeForeign(path, 'not a rejects file', async () => (await firstFile(path)) !== undefined);
}

/** Returns the input that the first line of a rejects file names; undefined for another file. */
export async function fileOfRejects(path: string): Promise<string | undefined> {
  const state = await lstat(path).catch(() => undefined);
  return state?.isFile() === true ? await firstFile(path).catch(() => undefined) : undefined;
}

/** Returns whether the rejects file of an import of these inputs is unchanged, `length` bytes long. */
export async function isUnchangedSince(
  path: string,
  length: number,
  inputs: readonly string[],
): Promise<boolean> {
  try {
    const state = await lstat(path);
    const unchanged = length > 0 && state.isFile() && state.size === length;
    const file = unchanged ? await firstFile(path) : undefined;
    return file !== undefined && inputs.some((input) => basename(input) === basename(file));
  } catch {
    return false;
  }
}

/**
 * Removes the rejects file of an earlier import of these inputs, so that nobody fixes and sends records again that were
 * accepted. Removes only a regular file whose first line is a reject of one of them; resolves to whether it did.
 */
export async function removeEarlierRejects(path: string, inputs: readonly string[]): Promise<boolean> {
  try {
    if (!(await lstat(path)).isFile()) return false;
    const file = await firstFile(path);
    if (file === undefined || !inputs.some((input) => basename(input) === basename(file))) return false;
    await unlink(path);
    return true;
  } catch {
    // The file is missing, or this user may not read or remove it: leave it alone.
    return false;
  }
}

/** Reads the input that the first line of a file names, if that is a reject. */
async function firstFile(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(REJECT_HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return rejectedFile(head.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** The name of the nth rejects file beside an input. */
export function numbered(rejects: string, n: number): string {
  return n === 1 ? rejects : `${rejects.replace(/(\.rejects)?\.ndjson$/, '')}.${n}.rejects.ndjson`;
}
