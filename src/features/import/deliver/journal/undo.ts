import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordKind } from '../../record/record-kind.ts';
import type { Destination } from './forget.ts';
import { Journal } from './journal.ts';
import { JournalError } from './journal-error.ts';
import { runningFile } from './journal-file.ts';
import { readJournal } from './read-journal.ts';

/** Where a run of an import is noted on this machine. */
export interface NotedRun extends Destination {
  /** The journal. */
  readonly file: string;
  /** The run is going on. */
  readonly running: boolean;
  /** What it sent; null while it is going on. */
  readonly kind: RecordKind | null;
}

/** Finds the journal in `folder` that has a run; undefined if none does, or the one that does cannot be read. */
export function findRun(folder: string, run: string): NotedRun | undefined {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  for (const name of names.filter((each) => each.endsWith('.journal'))) {
    const file = join(folder, name);
    try {
      const found = readJournal(file);
      if (!found?.runs.some(({ runId }) => runId === run)) continue;
      const { kind, baseUrl, workspace } = JSON.parse(found.options) as Destination & { kind: RecordKind };
      return { file, running: false, kind, baseUrl, workspace };
    } catch (error) {
      if (!(error instanceof JournalError)) throw error;
      if (error.reason === 'locked' && runningIn(file) === run)
        return { file, running: true, kind: null, baseUrl: '', workspace: '' };
    }
  }
  return undefined;
}

/** The run that an import which uses a journal now began; undefined if it has sent nothing. */
function runningIn(file: string): string | undefined {
  try {
    return readFileSync(runningFile(file), 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Takes a run back in a journal, in two steps: `begin` before the service deletes its events, so that no import takes them
 * for sent meanwhile, and `end` once they are deleted. Throws a JournalError: `locked` while an import uses the journal.
 */
export function takeRunBack(file: string, run: string, step: 'begin' | 'end'): void {
  const journal = Journal.open(file);
  try {
    if (step === 'begin') journal.beginUndo(run);
    else journal.endUndo(run);
  } finally {
    journal.close();
  }
}
