import { type FileHandle, open } from 'node:fs/promises';
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
    const bytes = Buffer.from(rejects.map((reject) => `${JSON.stringify(reject)}\n`).join(''));
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
