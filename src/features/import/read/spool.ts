import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { ByteSource } from './bytes.ts';

/**
 * Makes a source that can be read only once readable a second time. Stores what is read in an unlinked file, which the
 * system deletes when the process ends.
 */
export class Spool implements ByteSource {
  private readonly source: ByteSource;
  private file: number | undefined;
  private length = 0;

  /** `path` must not exist. */
  constructor(source: ByteSource, path: string) {
    this.source = source;
    this.file = openSync(path, 'wx+', 0o600);
    rmSync(path);
  }

  async read(into: Buffer, at: number, length: number): Promise<number> {
    const count = await this.source.read(into, at, length);
    for (let done = 0; done < count; )
      done += writeSync(this.open, into, at + done, count - done, this.length + done);
    this.length += count;
    return count;
  }

  /** Returns the source from its start. Do not read from the spool itself afterwards. */
  again(): ByteSource {
    let position = 0;
    return {
      read: async (into, at, length) => {
        const stored = Math.min(length, this.length - position);
        if (stored <= 0) return this.source.read(into, at, length);
        const count = readSync(this.open, into, at, stored, position);
        position += count;
        return count;
      },
      close: () => this.close(),
    };
  }

  private get open(): number {
    if (this.file === undefined) throw new Error('the spool is closed');
    return this.file;
  }

  async close(): Promise<void> {
    if (this.file !== undefined) closeSync(this.file);
    this.file = undefined;
    await this.source.close();
  }
}
