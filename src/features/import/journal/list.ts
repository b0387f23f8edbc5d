import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Journal } from './journal.ts';
import { JournalError } from './journal-error.ts';

/** An import whose journal this machine keeps. What is null is not known: another process has the journal open. */
export interface KeptImport {
  /** The name of the journal, without its suffix. */
  readonly id: string;
  /** `unusable` for a journal that cannot be read. */
  readonly state: 'running' | 'unfinished' | 'finished' | 'unusable';
  readonly kind: string | null;
  readonly inputs: readonly string[] | null;
  readonly baseUrl: string | null;
  readonly workspace: string | null;
  /** Records that the service has acknowledged. */
  readonly acknowledged: number | null;
  /** Records that were sent without an answer. */
  readonly inDoubt: number | null;
  /** Records that are left: 0 of a finished import, otherwise known only after the input was read. */
  readonly left: number | null;
  /** When a batch was last sent, ISO 8601; null if none was. */
  readonly lastAt: string | null;
}

const SUFFIX = '.journal';

/** Lists the imports whose journals are in `folder`, the latest first. */
export function keptImports(folder: string): KeptImport[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith(SUFFIX) && statSync(join(folder, name)).isFile())
    .map((name) => describe(join(folder, name), name.slice(0, -SUFFIX.length)))
    .sort((a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? '') || (a.id < b.id ? -1 : 1));
}

/**
 * Removes the journal of an import, so that the next one starts from the beginning. Returns false while an import runs.
 * Throws a JournalError if it cannot be removed.
 */
export function forgetImport(folder: string, { id, state }: KeptImport): boolean {
  const file = join(folder, id + SUFFIX);
  if (state === 'unusable') {
    removeJournal(file);
    return true;
  }
  let journal: Journal;
  try {
    journal = Journal.open(file);
  } catch (error) {
    if (error instanceof JournalError && error.reason === 'locked') return false;
    throw error;
  }
  try {
    // Removed under its lock, so that no import starts in between.
    removeJournal(file);
  } finally {
    journal.close();
  }
  return true;
}

function removeJournal(file: string): void {
  for (const suffix of ['', '-wal']) rmSync(file + suffix, { force: true });
}

const UNKNOWN = {
  kind: null,
  inputs: null,
  baseUrl: null,
  workspace: null,
  acknowledged: null,
  inDoubt: null,
  left: null,
  lastAt: null,
} as const;

function describe(file: string, id: string): KeptImport {
  let journal: Journal;
  try {
    journal = Journal.open(file);
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { id, state: error.reason === 'locked' ? 'running' : 'unusable', ...UNKNOWN };
  }
  try {
    const state = journal.state();
    if (!state) return { id, state: 'unusable', ...UNKNOWN };
    const { kind, inputs, baseUrl, workspace } = JSON.parse(state.options);
    const { acknowledged, inDoubt } = journal.records();
    return {
      id,
      state: state.finished ? 'finished' : 'unfinished',
      kind,
      inputs,
      baseUrl,
      workspace,
      acknowledged,
      inDoubt,
      left: state.finished ? 0 : null,
      lastAt: journal.lastAt > 0 ? new Date(journal.lastAt).toISOString() : null,
    };
  } finally {
    journal.close();
  }
}
