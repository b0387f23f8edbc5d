import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import type { ByteSource } from './bytes.ts';

/**
 * Reads a source that can be read once, and keeps what was read, so that it can be read again from its beginning. It is
 * kept in a file without a name, which is gone with the process, however that ends.
 */
export class Spool implements ByteSource {
  private readonly source: ByteSource;
  private file: number | undefined;
  private length = 0;

  /** `path` is a file that is not there yet, in a folder of ours. */
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

  /** The source from its beginning. Nothing may be read from the spool itself any more. */
  again(): ByteSource {
    let position = 0;
    return {
      read: async (into, at, length) => {
        const kept = Math.min(length, this.length - position);
        if (kept <= 0) return this.source.read(into, at, length);
        const count = readSync(this.open, into, at, kept, position);
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
