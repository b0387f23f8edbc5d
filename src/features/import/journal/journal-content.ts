import type Database from 'libsql';
import type { Contents } from '../read/content.ts';
import { WITHDRAWN } from './journal-file.ts';

/** Undefined where the import never finished, or was begun again by an svc that keeps no such record. */
export function contentsOf(db: Database.Database, importId: string): Contents | undefined {
  const row = db.prepare('SELECT inputs FROM content WHERE id = ?').get(importId) as
    | { inputs: string }
    | undefined;
  return row && (JSON.parse(row.inputs) as Contents);
}

/** Notes that all has its end, and what the inputs are and hold. */
export function noteFinished(db: Database.Database, inputs: string, contents: Contents): void {
  db.prepare('UPDATE import SET finished = 1, inputs = ?').run(inputs);
  db.prepare('INSERT OR REPLACE INTO content SELECT 1, id, ? FROM import').run(JSON.stringify(contents));
}

/**
 * Forgets the batches behind what an import finished with, unless one of them had its end or is in doubt; it then is
 * finished as it was before them. Returns whether that is so.
 */
export function dropAppended(db: Database.Database, contents: Contents): boolean {
  const found = db.prepare(
    `SELECT 1 FROM batch WHERE file = ? AND start >= ? AND state <> ${WITHDRAWN} LIMIT 1`,
  );
  const forget = db.prepare('DELETE FROM batch WHERE file = ? AND start >= ?');
  const ends = contents.map((content, file) => [file, content?.length ?? 0] as const);
  if (contents.includes(null) || ends.some((end) => found.get(...end))) return false;
  db.exec('BEGIN IMMEDIATE');
  for (const end of ends) forget.run(...end);
  db.exec('UPDATE import SET finished = 1; COMMIT');
  return true;
}
