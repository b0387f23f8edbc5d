import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { JournalError } from './journal-error.ts';
import { removeJournalFile } from './journal-file.ts';
import { readJournal } from './read-journal.ts';

/** The destination of an import, as its journal states it. */
export interface Destination {
  readonly baseUrl: string;
  readonly workspace: string;
}

/**
 * Removes the journals in `folder` of imports to a destination that is `gone`: with them, the next import would skip
 * records that no longer exist there. Returns the removed files, and those that are in use or cannot be read now.
 */
export function forgetImports(
  folder: string,
  gone: (destination: Destination, file: string) => boolean,
): { removed: string[]; kept: string[] } {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const removed: string[] = [];
  const kept: string[] = [];
  for (const name of names.filter((each) => each.endsWith('.journal'))) {
    const file = join(folder, name);
    try {
      const options = readJournal(file)?.options;
      if (options === undefined || !gone(JSON.parse(options) as Destination, file)) continue;
      removeJournalFile(file);
      removed.push(file);
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      // A damaged journal skips nothing: an import refuses it.
      if (error.reason !== 'broken') kept.push(file);
    }
  }
  return { removed, kept };
}
