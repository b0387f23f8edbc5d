import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LockUnusable, withFileLock } from '../../../kit/files/file-lock.ts';
import { writePrivateFile } from '../../../kit/files/private-file.ts';
import { digestOf } from '../batch/keys.ts';
import { type Unfinished, unfinishedIn } from './read-journal.ts';

/**
 * Reserves a rejects file for a journal while its import is unfinished. Without the claim, another import with the same
 * rejects file (such as one of the same input into another workspace) would overwrite the rejects of the unfinished
 * one, and resuming that one would truncate those of the other. Claims are small files in `folder`, one for each
 * rejects file; a claim that a crash left behind is valid as long as its journal is unfinished.
 */
export class RejectsClaim {
  private readonly folder: string;
  private readonly file: string;
  private readonly rejects: string;
  private readonly journal: string;

  /** `rejects` and `journal` are absolute. */
  constructor(folder: string, rejects: string, journal: string) {
    this.folder = folder;
    this.file = join(folder, `${digestOf(Buffer.from(realPath(rejects))).slice(0, 32)}.rejects`);
    this.rejects = rejects;
    this.journal = journal;
  }

  /**
   * Claims the rejects file for this journal. Resolves to the other import if one holds it: the file exists, or that
   * import is running and may create it.
   */
  take(): Promise<Unfinished | undefined> {
    return this.locked(() => {
      const holder = this.holder();
      const found = holder === undefined || holder === this.journal ? undefined : unfinishedIn(holder);
      const other = found?.options === undefined || existsSync(this.rejects) ? found : undefined;
      if (!other) writePrivateFile(this.file, this.journal);
      return other;
    });
  }

  /** Releases the rejects file of a finished import. A claim that cannot be removed is void from now on. */
  async release(): Promise<void> {
    await this.locked(() => {
      if (this.holder() === this.journal) rmSync(this.file);
    }).catch(() => undefined);
  }

  private holder(): string | undefined {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8') : undefined;
  }

  /** Runs `work` under a lock. Does nothing if the folder is not writable: an import with --checkpoint needs none. */
  private async locked<T>(work: () => T): Promise<T | undefined> {
    try {
      return await withFileLock(join(this.folder, 'rejects.lock'), work);
    } catch (error) {
      if (error instanceof LockUnusable && error.held) throw error;
      return undefined;
    }
  }
}

/** Resolves links in the path of a file that may not exist yet. */
function realPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
