import type Database from 'libsql';
import { SENT } from './journal-file.ts';

/** A page of batches, in rows. */
const PAGE = 1000;

/** A batch as its journal has it. */
export interface BatchRow {
  readonly seq: number;
  readonly file: number;
  readonly start: number;
  readonly finish: number;
  readonly digest: string;
  readonly state: number;
}

/** The number of the batch that was cut last; 0 where there is none. */
export function lastSeq(db: Database.Database): number {
  return (db.prepare('SELECT max(seq) AS last FROM batch').get() as { last: number | null }).last ?? 0;
}

/** The batches up to number `end` in the order of their numbers, one a call; memory holds a page of them. */
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
 * Brings the numbers of the batches into the order in which the inputs are read; returns the last one. Records that were
 * appended to one of several inputs were cut behind all batches of the next one.
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
        SELECT place, file, start, finish, first_line, last_line, records, digest, state, sent_at FROM sorted;
      DROP TABLE sorted;
      COMMIT`);
  return lastSeq(db);
}

/** A batch that was sent and whose answer is not known. */
export interface AmbiguousBatch {
  readonly file: number;
  readonly firstLine: number;
  readonly lastLine: number;
  readonly records: number;
  /** Unix milliseconds. */
  readonly sentAt: number;
}

/** The batches that are in doubt since before `time`. */
export function ambiguousBefore(db: Database.Database, time: number): AmbiguousBatch[] {
  return db
    .prepare(
      `SELECT file, first_line AS firstLine, last_line AS lastLine, records, sent_at AS sentAt FROM batch
       WHERE state = ${SENT} AND sent_at < ? ORDER BY seq`,
    )
    .all(time) as AmbiguousBatch[];
}
