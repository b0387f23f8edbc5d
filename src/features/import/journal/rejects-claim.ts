import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LockUnusable, withFileLock } from '../../../kit/file-lock.ts';
import { writePrivateFile } from '../../../kit/private-file.ts';
import { digestOf } from '../batch/keys.ts';
import { type Unfinished, unfinishedIn } from './journal-file.ts';

/**
 * Which journal a rejects file belongs to while its import is unfinished. Without it, another import with the same
 * rejects file (of the same input into another workspace, say) would overwrite what the unfinished one found, and that
 * one, resumed, would cut off what the other wrote. Claims are small files in `folder`, one for each rejects file; one
 * that a crash left behind counts as long as its journal is unfinished.
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
   * Claims the rejects file for this journal. Resolves to the other import where one has it: the file is there, or that
   * import is under way and may write it.
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

  /** Lets go of the rejects file: its import has finished. A claim that cannot be removed now counts for nothing. */
  async release(): Promise<void> {
    await this.locked(() => {
      if (this.holder() === this.journal) rmSync(this.file);
    }).catch(() => undefined);
  }

  private holder(): string | undefined {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8') : undefined;
  }

  /** Where nothing can be written to the folder nothing can be claimed: an import with --checkpoint needs no folder. */
  private async locked<T>(work: () => T): Promise<T | undefined> {
    try {
      return await withFileLock(join(this.folder, 'rejects.lock'), work);
    } catch (error) {
      if (error instanceof LockUnusable && error.held) throw error;
      return undefined;
    }
  }
}

/** A file that may not exist yet, in a folder that may be a link. */
function realPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
