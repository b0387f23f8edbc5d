import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { LockUnusable, withFileLock } from '../../../../kit/files/file-lock.ts';
import { writePrivateFile } from '../../../../kit/files/private-file.ts';
import { forgetImports } from './forget.ts';
import { JournalError } from './journal-error.ts';
import { type JournalSummary, readJournal, unfinishedIn } from './read-journal.ts';

/**
 * Lists the imports of the same input to the same destination with other batch sizes. Each has its own journal, and
 * would send again what another one sent, so an unfinished one must be found first. A small file for each input lists
 * their journals.
 */
export class Siblings {
  private readonly list: string;
  private readonly journal: string;

  /** `list` is the path of the list; `journal` that of the import that is about to start. */
  constructor(list: string, journal: string) {
    this.list = list;
    this.journal = journal;
  }

  /** Returns the options of an unfinished sibling (see `optionsText`). */
  unfinished(): string | undefined {
    for (const journal of this.others()) {
      const options = unfinishedIn(journal)?.options;
      if (options !== undefined) return options;
    }
    return undefined;
  }

  /** Returns the finished siblings of which the service accepted something. */
  finished(): JournalSummary[] {
    return this.others().flatMap((journal) => {
      try {
        const found = readJournal(journal);
        return found?.finished && found.touched ? [found] : [];
      } catch (error) {
        // A damaged journal is refused where it is used. Another one must be readable, or records would be sent twice.
        if (error instanceof JournalError && error.reason === 'broken') return [];
        throw error;
      }
    });
  }

  /** Removes the journals of the others, so that everything is sent again. Keeps one that another process holds. */
  forget(): void {
    const others = new Set(this.others());
    if (others.size > 0) forgetImports(dirname(this.journal), (_, file) => others.has(file));
  }

  /**
   * Adds the import to the list, unless another one on it is running: of two that start at once, the second ends here.
   * The caller holds its own journal, and looks for what the others sent only afterwards. Throws a JournalError, `locked`
   * while another one runs. Adds nothing if the list is not writable.
   */
  async add(): Promise<void> {
    try {
      await withFileLock(join(dirname(this.list), 'rejects.lock'), () => {
        const existing = this.others().filter((journal) => existsSync(journal));
        for (const journal of existing) refuseRunning(journal);
        writePrivateFile(this.list, [...existing, this.journal].join('\n'));
      });
    } catch (error) {
      if (error instanceof JournalError || (error instanceof LockUnusable && error.held)) throw error;
    }
  }

  private others(): string[] {
    if (!existsSync(this.list)) return [];
    return readFileSync(this.list, 'utf8')
      .split('\n')
      .filter((journal) => journal !== '' && journal !== this.journal);
  }
}

/** Throws a JournalError, `locked`, for the journal of an import that is running. */
function refuseRunning(journal: string): void {
  try {
    readJournal(journal);
  } catch (error) {
    if (!(error instanceof JournalError) || error.reason === 'locked') throw error;
  }
}
