import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LockUnusable, withFileLock } from '../kit/file-lock.ts';
import { writePrivateFile } from '../kit/private-file.ts';
import { isUnfinished } from './journal-file.ts';
import { digestOf } from './keys.ts';

/**
 * Which journal a rejects file belongs to while its import is unfinished. Without it, another import with the same
 * rejects file (of the same input into another workspace, say) would overwrite what the unfinished one found, and that
 * one, resumed, would cut off what the other wrote. Claims are small files in `folder`, one for each rejects file; one
 * that a crash left behind counts as long as its journal is unfinished.
 */
export class RejectsClaim {
  private readonly folder: string;
  private readonly file: string;
  private readonly journal: string;

  /** `rejects` and `journal` are absolute. */
  constructor(folder: string, rejects: string, journal: string) {
    this.folder = folder;
    this.file = join(folder, `${digestOf(Buffer.from(realPath(rejects))).slice(0, 32)}.rejects`);
    this.journal = journal;
  }

  /** Claims the rejects file for this journal; false where another import has it. */
  take(): Promise<boolean> {
    return this.locked(() => {
      const holder = this.holder();
      if (holder !== undefined && holder !== this.journal && isUnfinished(holder)) return false;
      writePrivateFile(this.file, this.journal);
      return true;
    }, true);
  }

  /** Lets go of the rejects file: its import has finished. */
  release(): Promise<unknown> {
    return this.locked(() => {
      if (this.holder() === this.journal) rmSync(this.file);
    }, undefined);
  }

  private holder(): string | undefined {
    return existsSync(this.file) ? readFileSync(this.file, 'utf8') : undefined;
  }

  /** Where nothing can be written to the folder nothing can be claimed: an import with --checkpoint needs no folder. */
  private async locked<T>(work: () => T, otherwise: T): Promise<T> {
    try {
      return await withFileLock(join(this.folder, 'rejects.lock'), work);
    } catch (error) {
      if (error instanceof LockUnusable && error.held) throw error;
      return otherwise;
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
