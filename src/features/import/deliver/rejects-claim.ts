import { existsSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LockUnusable, withFileLock } from '../../../kit/files/file-lock.ts';
import { writePrivateFile } from '../../../kit/files/private-file.ts';
import { type Unfinished, unfinishedIn } from './journal/read-journal.ts';
import { digestOf } from './keys.ts';
import { fileOfRejects } from './rejects-file.ts';

/** The import that has a rejects file. */
export interface RejectsHolder {
  /** Undefined for a finished import, and for a file of which this machine does not know the import. */
  readonly unfinished: Unfinished | undefined;
}

/**
 * Gives a rejects file to one import. Without the claim, another import with the same rejects file (such as one of the same
 * input into another workspace, or with other flags) would overwrite the rejects of the first. Claims are small files in
 * `folder`, one for each rejects file, with the journal and the options of the import. A claim is valid while its import is
 * unfinished, and then as long as the rejects file exists.
 */
export class RejectsClaim {
  private readonly folder: string;
  private readonly file: string;
  private readonly rejects: string;
  private readonly journal: string;
  private readonly options: string;

  /** `rejects` and `journal` are absolute; `options` as in `optionsText`. */
  constructor(folder: string, rejects: string, journal: string, options: string) {
    this.folder = folder;
    this.file = claimFile(folder, rejects);
    this.rejects = rejects;
    this.journal = journal;
    this.options = ownerOf(options);
  }

  /** Returns whether an import of this machine has an existing file, an absolute path, as its rejects file. */
  static isHeld(folder: string, rejects: string): boolean {
    return existsSync(rejects) && existsSync(claimFile(folder, rejects));
  }

  /**
   * Claims the rejects file. Resolves to the holder if it belongs to another import. `replaced`: the options of an import
   * with the same journal whose rejects may be replaced, as nothing of it was accepted.
   */
  async take(replaced?: string): Promise<RejectsHolder | undefined> {
    const exists = (await fileOfRejects(this.rejects)) !== undefined;
    return this.locked(() => {
      const other = this.other(exists, replaced);
      if (!other) writePrivateFile(this.file, `${this.journal}\n${this.options}`);
      return other;
    });
  }

  /** Releases the rejects file of a finished import, unless it holds its rejects. */
  async release(): Promise<void> {
    await this.locked(() => {
      if (!existsSync(this.rejects) && this.holder()?.journal === this.journal) rmSync(this.file);
    }).catch(() => undefined);
  }

  private other(exists: boolean, replaced: string | undefined): RejectsHolder | undefined {
    const holder = this.holder();
    if (holder?.journal === this.journal) {
      const own = [undefined, this.options, replaced && ownerOf(replaced)].includes(holder.options);
      return own || !exists ? undefined : { unfinished: undefined };
    }
    const unfinished = holder && unfinishedIn(holder.journal);
    return unfinished || exists ? { unfinished } : undefined;
  }

  private holder(): { journal: string; options: string | undefined } | undefined {
    if (!existsSync(this.file)) return undefined;
    const [journal = '', options] = readFileSync(this.file, 'utf8').split('\n');
    return { journal, options };
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

const claimFile = (folder: string, rejects: string) =>
  join(folder, `${digestOf(Buffer.from(realPath(rejects))).slice(0, 32)}.rejects`);

const ownerOf = (options: string) => digestOf(Buffer.from(options)).slice(0, 32);

/** Resolves links in the path of a file that may not exist yet. */
function realPath(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path;
  }
}
