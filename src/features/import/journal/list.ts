import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { KeptImport } from '../../../contract/console.ts';
import { Journal } from './journal.ts';
import { JournalError } from './journal-error.ts';

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
