import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from './journal.ts';
import { JournalError } from './journal-error.ts';

/** The destination of an import, as its journal states it. */
export interface Destination {
  readonly baseUrl: string;
  readonly workspace: string;
}

/**
 * Removes the journals in `folder` of imports to a destination that is `gone`: with them, the next import would skip
 * records that no longer exist there. Returns the removed files. Keeps journals that are locked or cannot be read.
 */
export function forgetImports(
  folder: string,
  gone: (destination: Destination, file: string) => boolean,
): string[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith('.journal'))
    .map((name) => join(folder, name))
    .filter((file) => forget(file, gone));
}

function forget(file: string, gone: (destination: Destination, file: string) => boolean): boolean {
  let journal: Journal;
  try {
    journal = Journal.open(file);
  } catch (error) {
    if (error instanceof JournalError) return false;
    throw error;
  }
  try {
    const options = journal.state()?.options;
    if (options === undefined || !gone(JSON.parse(options) as Destination, file)) return false;
    // Removed under its lock, so that no import starts in between.
    for (const suffix of ['', '-wal']) rmSync(file + suffix, { force: true });
    return true;
  } finally {
    journal.close();
  }
}
