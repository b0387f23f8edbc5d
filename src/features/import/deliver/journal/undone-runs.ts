import type Database from 'libsql';
import { TOUCHED, WITHDRAWN } from './journal-file.ts';

/** The states of a run in the column `undone`. */
const BEGUN = 1;
const ENDED = 2;

/** A run that is being taken back. */
export function undoing(db: Database.Database): string | undefined {
  const row = db.prepare(`SELECT id FROM run WHERE undone = ${BEGUN}`).get() as { id: string } | undefined;
  return row?.id;
}

export function beginUndo(db: Database.Database, run: string): void {
  db.prepare(`UPDATE run SET undone = ${BEGUN} WHERE id = ?`).run(run);
}

/**
 * Forgets what a run sent. If nothing else was sent, the next import is a new one. If the run sent what had been appended to
 * finished inputs, the import is as it had finished before. Otherwise it is unfinished, and --resume sends what is missing.
 */
export function endUndo(db: Database.Database, run: string): void {
  db.exec('BEGIN IMMEDIATE');
  const found = (sql: string, ...params: string[]) => db.prepare(sql).get(...params) !== undefined;
  const others = `run <> ? AND ${TOUCHED}`;
  const earlier = '(SELECT contents FROM run WHERE id = ?)';
  if (!found(`SELECT 1 FROM batch WHERE run = ? LIMIT 1`, run)) {
    // A later import of the inputs sent all of them again.
  } else if (!found(`SELECT 1 FROM batch WHERE ${others} LIMIT 1`, run)) {
    db.exec('DELETE FROM batch; UPDATE import SET finished = 0, contents = NULL');
  } else if (
    found(`SELECT 1 FROM run WHERE id = ? AND contents IS NOT NULL`, run) &&
    !found(
      `SELECT 1 FROM batch WHERE ${others}
         AND start >= coalesce(json_extract(${earlier}, '$[' || file || '].length'), 0) LIMIT 1`,
      run,
      run,
    )
  ) {
    db.prepare('DELETE FROM batch WHERE run = ?').run(run);
    // The inputs are compared by their contents.
    db.prepare(`UPDATE import SET finished = 1, inputs = '', contents = ${earlier}`).run(run);
  } else {
    db.prepare(`UPDATE batch SET state = ${WITHDRAWN} WHERE run = ?`).run(run);
    db.exec('UPDATE import SET finished = 0, contents = NULL');
  }
  db.prepare(`UPDATE run SET undone = ${ENDED} WHERE id = ?`).run(run);
  db.exec('COMMIT');
}
