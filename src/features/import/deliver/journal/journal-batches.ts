import type Database from 'libsql';
import { SENT, WITHDRAWN } from './journal-file.ts';

/** Rows per page of batches. */
const PAGE = 1000;

/** A batch in the journal. */
export interface BatchRow {
  readonly seq: number;
  readonly file: number;
  readonly start: number;
  readonly finish: number;
  readonly digest: string;
  readonly state: number;
}

/** Returns the number of the last batch; 0 if there is none. */
export function lastSeq(db: Database.Database): number {
  return (db.prepare('SELECT max(seq) AS last FROM batch').get() as { last: number | null }).last ?? 0;
}

/** Returns an iterator function over the batches up to number `end`, in order, which reads them page by page. */
export function batchRows(db: Database.Database, end: number): () => BatchRow | undefined {
  const select = db.prepare(
    'SELECT seq, file, start, finish, digest, state FROM batch WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?',
  );
  let page: BatchRow[] = [];
  let at = 0;
  let last = 0;
  return () => {
    if (at >= page.length && last < end) {
      page = select.all(last, end, PAGE) as BatchRow[];
      at = 0;
    }
    const row = page[at++];
    if (row) last = row.seq;
    return row;
  };
}

/**
 * Renumbers the batches in the order in which the inputs are read, and returns the last number. Batches of records that
 * were appended to one of several inputs were numbered after all batches of the next input.
 */
export function sortBatches(db: Database.Database): number {
  const { found } = db
    .prepare(
      `SELECT EXISTS (SELECT 1 FROM (
         SELECT file, start, lag(file) OVER (ORDER BY seq) AS file0, lag(start) OVER (ORDER BY seq) AS start0 FROM batch)
       WHERE file0 > file OR (file0 = file AND start0 > start)) AS found`,
    )
    .get() as { found: number };
  if (found)
    db.exec(`BEGIN IMMEDIATE;
      CREATE TEMP TABLE sorted AS SELECT row_number() OVER (ORDER BY file, start) AS place, * FROM batch;
      DELETE FROM batch;
      INSERT INTO batch
        SELECT place, file, start, finish, first_line, last_line, records, digest, state, sent_at, run FROM sorted;
      DROP TABLE sorted;
      COMMIT`);
  return lastSeq(db);
}

/** A batch that was sent and whose outcome is ambiguous. */
export interface AmbiguousBatch {
  readonly file: number;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly records: number;
  /** Unix milliseconds. */
  readonly sentAt: number;
}

/** Lists the batches that were sent before `time` and whose outcome is ambiguous. */
export function ambiguousBefore(db: Database.Database, time: number): AmbiguousBatch[] {
  return db
    .prepare(
      `SELECT file, first_line AS firstLine, last_line AS lastLine, records, sent_at AS sentAt FROM batch
       WHERE state = ${SENT} AND sent_at < ? ORDER BY seq`,
    )
    .all(time) as AmbiguousBatch[];
}

/** The SQL condition for batches of records that were appended since the import finished. */
const APPENDED = `start >= coalesce((SELECT json_extract(contents, '$[' || file || '].length') FROM import), 0)`;

/**
 * Deletes the batches of appended records, unless one of them was settled or is ambiguous; the import is then finished
 * as it was before. Returns whether they were deleted.
 */
export function dropAppended(db: Database.Database): boolean {
  if (db.prepare(`SELECT 1 FROM batch WHERE ${APPENDED} AND state <> ${WITHDRAWN} LIMIT 1`).get())
    return false;
  db.exec(`BEGIN IMMEDIATE; DELETE FROM batch WHERE ${APPENDED}; UPDATE import SET finished = 1; COMMIT`);
  return true;
}
