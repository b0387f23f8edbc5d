import { existsSync } from 'node:fs';
import type { StoredRun } from '../../../../contract/console.ts';
import { sqliteFileFault } from '../../../../kit/files/sqlite-file.ts';
import { peekSqlite } from '../../../../kit/files/sqlite-peek.ts';
import { JournalError, toJournalError } from './journal-error.ts';
import { SENT, SETTLED, TOUCHED } from './journal-file.ts';

/** What a journal says of its import. */
export interface JournalSummary {
  readonly finished: boolean;
  /** The options of the import as JSON text (see `optionsText`). */
  readonly options: string;
  /** The service accepted a batch, or may have accepted it. */
  readonly touched: boolean;
  /** Records that the service has acknowledged. */
  readonly acknowledged: number;
  /** Records that were sent without an answer. */
  readonly inDoubt: number;
  /** When a batch was last sent or settled, in Unix milliseconds; 0 if none was. */
  readonly lastAt: number;
  /** The file with the records that were refused; null if none was. */
  readonly rejectsFile: string | null;
  /** Its runs whose events the service keeps together, the latest first. */
  readonly runs: readonly StoredRun[];
}

const records = (state: number) =>
  `(SELECT coalesce(sum(CASE state WHEN ${state} THEN records END), 0) FROM batch)`;

const SUMMARY = `SELECT json_object('finished', finished, 'options', options,
  'touched', EXISTS (SELECT 1 FROM batch WHERE ${TOUCHED}), 'acknowledged', ${records(SETTLED)},
  'inDoubt', ${records(SENT)}, 'lastAt', (SELECT coalesce(max(sent_at), 0) FROM batch),
  'rejectsFile', CASE WHEN rejects_length > 0 THEN rejects_path END) FROM import`;

const RUNS = `SELECT json_group_array(json_object('runId', id, 'at', at, 'accepted', accepted, 'undone', undone))
  FROM (SELECT * FROM run WHERE kept = 1 ORDER BY at DESC)`;

/**
 * Reads a journal without changing it and without waiting; an import that starts at the same time is not refused.
 * Undefined if it is missing or holds no import. Throws a JournalError: `locked` while an import runs, `broken` only for a
 * file that is damaged or is not a journal, and others if it cannot be read now.
 */
export function readJournal(path: string): JournalSummary | undefined {
  if (!existsSync(path)) return undefined;
  const damage = sqliteFileFault(path);
  if (damage) throw new JournalError('broken', path, new Error(`the file is ${damage}`));
  try {
    const text = peekSqlite(path, SUMMARY, 'mode=ro');
    if (text === undefined) return undefined;
    const { finished, touched, ...rest } = JSON.parse(text);
    return { ...rest, finished: finished === 1, touched: touched === 1, runs: runsIn(path) };
  } catch (error) {
    if (/no such (table|column)/.test((error as Error).message))
      throw new JournalError('broken', path, error);
    throw toJournalError(path, error);
  }
}

/** An import that can be resumed. Its options are undefined while another process runs it. */
export interface Unfinished {
  readonly options: string | undefined;
}

/**
 * Returns the import of a journal if it is running in another process, or is unfinished and may have sent records. A
 * journal that is missing or damaged cannot be resumed.
 */
export function unfinishedIn(path: string): Unfinished | undefined {
  try {
    const found = readJournal(path);
    return found && !found.finished && found.touched ? { options: found.options } : undefined;
  } catch (error) {
    const inUse = error instanceof JournalError && error.reason !== 'broken';
    return inUse ? { options: undefined } : undefined;
  }
}

/** The runs of a journal; none of one that a version wrote that knew no runs. */
function runsIn(path: string): StoredRun[] {
  let text: string | undefined;
  try {
    text = peekSqlite(path, RUNS, 'mode=ro');
  } catch (error) {
    if (!(error as Error).message.includes('no such table: run')) throw error;
  }
  const rows = JSON.parse(text ?? '[]') as { runId: string; at: number; accepted: number; undone: number }[];
  return rows.map((run) => ({ ...run, at: new Date(run.at).toISOString(), undone: run.undone > 0 }));
}
