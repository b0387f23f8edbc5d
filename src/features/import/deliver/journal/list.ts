import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredImport } from '../../../../contract/console.ts';
import { JournalError } from './journal-error.ts';
import { removeJournalFile } from './journal-file.ts';
import { readJournal } from './read-journal.ts';

const SUFFIX = '.journal';

/** Lists the imports whose journals are in `folder`, the latest first. */
export function keptImports(folder: string): StoredImport[] {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names
    .filter((name) => name.endsWith(SUFFIX) && statSync(join(folder, name)).isFile())
    .map((name) => describe(join(folder, name), name.slice(0, -SUFFIX.length)))
    .sort((a, b) => (b.lastAt ?? '').localeCompare(a.lastAt ?? '') || (a.id < b.id ? -1 : 1));
}

/** The options of an import as its journal has them; undefined while they cannot be read. */
export function optionsOf(folder: string, { id }: Pick<StoredImport, 'id'>): string | undefined {
  try {
    return readJournal(join(folder, id + SUFFIX))?.options;
  } catch (error) {
    if (error instanceof JournalError) return undefined;
    throw error;
  }
}

/**
 * Removes the journal of an import, so that the next one starts from the beginning. Returns false while an import runs.
 * Throws a JournalError if it cannot be opened now, as on a full disk: it may hold what was acknowledged.
 */
export function forgetImport(folder: string, { id }: Pick<StoredImport, 'id'>): boolean {
  try {
    removeJournalFile(join(folder, id + SUFFIX));
    return true;
  } catch (error) {
    if (error instanceof JournalError && error.reason === 'locked') return false;
    throw error;
  }
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
  rejectsFile: null,
  runs: null,
} as const;

const STATES = { locked: 'running', broken: 'unusable', full: 'unreadable', denied: 'unreadable' } as const;

function describe(file: string, id: string): StoredImport {
  let found: ReturnType<typeof readJournal>;
  try {
    found = readJournal(file);
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return { id, state: STATES[error.reason], ...UNKNOWN };
  }
  if (!found) return { id, state: 'unusable', ...UNKNOWN };
  const { finished, options, acknowledged, inDoubt, lastAt, rejectsFile, runs } = found;
  const { kind, inputs, baseUrl, workspace } = JSON.parse(options);
  return {
    id,
    state: finished ? 'finished' : 'unfinished',
    kind,
    inputs,
    baseUrl,
    workspace,
    acknowledged,
    inDoubt,
    left: finished ? 0 : null,
    lastAt: lastAt > 0 ? new Date(lastAt).toISOString() : null,
    rejectsFile,
    runs,
  };
}
