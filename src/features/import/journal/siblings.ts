import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LockUnusable, withFileLock } from '../../../kit/file-lock.ts';
import { writePrivateFile } from '../../../kit/private-file.ts';
import { forgetImports } from './forget.ts';
import { unfinishedIn } from './journal-file.ts';

/**
 * The imports of the same input to the same place that were cut into batches of other sizes. Each has a journal of its
 * own, and what one of them sent would be sent again by the next: an unfinished one must not be passed over. Their
 * journals are listed in a small file for each input.
 */
export class Siblings {
  private readonly list: string;
  private readonly journal: string;

  /** `list` is the file; `journal` that of the import which is about to begin. */
  constructor(list: string, journal: string) {
    this.list = list;
    this.journal = journal;
  }

  /** The options of one that is unfinished (see `optionsText`). */
  unfinished(): string | undefined {
    for (const journal of this.others()) {
      const options = unfinishedIn(journal)?.options;
      if (options !== undefined) return options;
    }
    return undefined;
  }

  /** Forgets the others: all is sent again. One that is under way in another process stays. */
  forget(): void {
    const others = new Set(this.others());
    if (others.size > 0) forgetImports(dirname(this.journal), (_, file) => others.has(file));
  }

  /** Notes that the import begins. Where nothing can be written nothing is noted. */
  async note(): Promise<void> {
    try {
      await withFileLock(join(dirname(this.list), 'rejects.lock'), () => {
        const kept = this.others().filter((journal) => existsSync(journal));
        writePrivateFile(this.list, [...kept, this.journal].join('\n'));
      });
    } catch (error) {
      if (error instanceof LockUnusable && error.held) throw error;
    }
  }

  private others(): string[] {
    if (!existsSync(this.list)) return [];
    return readFileSync(this.list, 'utf8')
      .split('\n')
      .filter((journal) => journal !== '' && journal !== this.journal);
  }
}
