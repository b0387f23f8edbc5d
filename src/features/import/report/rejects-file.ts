import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Reject } from './reject.ts';

/**
 * The rejects file: NDJSON, made when the first reject comes. It is written before the journal takes note of it, and
 * cut back to what the journal knows when an import is resumed: each reject stands in it once.
 */
export class RejectsFile {
  readonly path: string;
  private length: number;
  private readonly mode: number;
  private file: FileHandle | undefined;

  /** `keep`: bytes that an earlier run has settled. `mode`: rejects hold what the input holds, so no more readable. */
  constructor(path: string, keep = 0, mode = 0o600) {
    this.path = path;
    this.length = keep;
    this.mode = mode;
  }

  /** Writes rejects to the disk; resolves to the length of the file behind them, in bytes. One call at a time. */
  async append(rejects: readonly Reject[]): Promise<number> {
    this.file ??= await this.begin();
    const bytes = Buffer.from(
      rejects.map(({ fixableBy: _, ...line }) => `${JSON.stringify(line)}\n`).join(''),
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

  /** Cuts off what an interrupted run wrote and did not settle. To be called when an import is resumed. */
  async trim(): Promise<void> {
    if (this.length > 0) this.file ??= await this.begin();
  }

  private async begin(): Promise<FileHandle> {
    const foreign = await foreignRejects(this.path);
    if (foreign) throw new RejectsForeign(this.path, foreign);
    if (this.length === 0) return this.fresh();
    const flags = constants.O_RDWR | constants.O_NOFOLLOW;
    const file = await open(this.path, flags).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      // The user took it away: what it held was theirs to keep; go on with a new one.
      this.length = 0;
      return this.fresh();
    });
    const { size } = await file.stat();
    if (size < this.length) this.length = size;
    await file.truncate(this.length);
    return file;
  }

  /** A new file, made aside and put in its place: whatever comes to stand there is never written through. */
  private async fresh(): Promise<FileHandle> {
    const aside = `${this.path}.${randomBytes(4).toString('hex')}.tmp`;
    const file = await open(aside, 'wx+', this.mode);
    try {
      await rename(aside, this.path);
      return file;
    } catch (error) {
      await file.close();
      await unlink(aside);
      throw error;
    }
  }
}

/** What stands where rejects are to be written is not a rejects file. */
export class RejectsForeign extends Error {
  readonly path: string;

  constructor(path: string, what: string) {
    super(`${path} is ${what}, and would be overwritten`);
    this.name = 'RejectsForeign';
    this.path = path;
  }
}

/** What stands at `path` in words, where it is neither missing nor empty nor a rejects file. A folder is left to the write. */
export async function foreignRejects(path: string): Promise<string | undefined> {
  const state = await lstat(path).catch(() => undefined);
  if (!state || state.isDirectory()) return undefined;
  if (state.isSymbolicLink()) return 'a symbolic link';
  if (!state.isFile()) return 'not a regular file';
  const ours = state.size === 0 || (await firstFile(path).catch(() => undefined)) !== undefined;
  return ours ? undefined : 'not a rejects file';
}

/** It is there as an import of these inputs left it, `length` bytes long. */
export async function isAsLeft(path: string, length: number, inputs: readonly string[]): Promise<boolean> {
  try {
    const state = await lstat(path);
    const left = length > 0 && state.isFile() && state.size === length;
    const file = left ? await firstFile(path) : undefined;
    return file !== undefined && inputs.some((input) => basename(input) === basename(file));
  } catch {
    return false;
  }
}

/** Of a first line that is longer nothing is known. */
const FIRST_LINE_BYTES = 64 * 1024 * 1024;

/**
 * Takes away the rejects file that an earlier import of these inputs left at `path`, so that nobody mends and sends
 * again what has arrived. Only a plain file whose first line is a reject of one of them; resolves to whether it did.
 */
export async function removeEarlier(path: string, inputs: readonly string[]): Promise<boolean> {
  try {
    if (!(await lstat(path)).isFile()) return false;
    const file = await firstFile(path);
    if (file === undefined || !inputs.some((input) => basename(input) === basename(file))) return false;
    await unlink(path);
    return true;
  } catch {
    // There is none, or it may not be read or removed by this user: it stays as it is.
    return false;
  }
}

/** The input that the first line of a rejects file names; undefined where that line is no reject. */
async function firstFile(path: string): Promise<string | undefined> {
  const file = await open(path);
  try {
    for await (const line of file.readLines({ end: FIRST_LINE_BYTES })) {
      const { file: name, line: at, offset, field, reason, raw } = JSON.parse(line) as Partial<Reject>;
      const numbers = [at, offset].every((value) => typeof value === 'number');
      const texts = [field, reason, raw].every((value) => typeof value === 'string');
      return numbers && texts && typeof name === 'string' ? name : undefined;
    }
    return undefined;
  } finally {
    await file.close();
  }
}
