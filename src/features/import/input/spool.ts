import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Content } from '../record/content.ts';
import type { ByteSource } from './bytes.ts';
import { type Comparison, compareContent } from './content.ts';

/**
 * Makes a source that can be read only once readable a second time. Stores what is read in an unlinked file, which the
 * system deletes when the process ends.
 */
class Spool implements ByteSource {
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

/**
 * Compares a pipe with an earlier content, and returns what reads it again from its start. Its bytes are kept in an unnamed
 * file in `folder`. Returns `same` early when `stop` is aborted.
 */
export async function compareSpooled(
  source: ByteSource,
  before: Content,
  folder: string,
  stop: AbortSignal,
): Promise<{ readonly comparison: Comparison; readonly bytes: ByteSource }> {
  const spool = new Spool(source, join(folder, `${randomUUID()}.spool`));
  const comparing = compareContent(spool, before);
  comparing.catch(() => undefined);
  const done = new AbortController();
  const stopped = new Promise<Comparison>((resolve) => {
    const end = () => resolve('same');
    if (stop.aborted) end();
    else stop.addEventListener('abort', end, { once: true, signal: done.signal });
  });
  const comparison = await Promise.race([comparing, stopped]).finally(() => done.abort());
  return { comparison, bytes: spool.again() };
}
