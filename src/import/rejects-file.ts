import { type FileHandle, lstat, open, unlink } from 'node:fs/promises';
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
      rejects.map(({ mendedBy: _, ...line }) => `${JSON.stringify(line)}\n`).join(''),
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
    if (this.length === 0) return open(this.path, 'w', this.mode);
    const file = await open(this.path, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      // The user took it away: what it held was theirs to keep; go on with a new one.
      this.length = 0;
      return open(this.path, 'w', this.mode);
    });
    const { size } = await file.stat();
    if (size < this.length) this.length = size;
    await file.truncate(this.length);
    return file;
  }
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
