import type Database from 'libsql';
import type { CellType, ColumnTypes } from '../../record/cell-type.ts';
import type { Contents } from '../../record/content.ts';
import { WITHDRAWN } from './journal-file.ts';

/** Returns the contents of the inputs; undefined if the import never finished, or was restarted by an older svc. */
export function contentsOf(db: Database.Database, importId: string): Contents | undefined {
  const row = db.prepare('SELECT inputs FROM content WHERE id = ?').get(importId) as
    | { inputs: string }
    | undefined;
  return row && (JSON.parse(row.inputs) as Contents);
}

/** Records that the import finished, with the state and the contents of its inputs. */
export function noteFinished(db: Database.Database, inputs: string, contents: Contents): void {
  db.prepare('UPDATE import SET finished = 1, inputs = ?').run(inputs);
  db.prepare('INSERT OR REPLACE INTO content SELECT 1, id, ? FROM import').run(JSON.stringify(contents));
}

/** Returns the types of the columns; undefined if an older svc started the import. */
export function columnTypesOf(db: Database.Database, importId: string): ColumnTypes | undefined {
  const row = db.prepare('SELECT types FROM column_types WHERE id = ?').get(importId) as
    | { types: string }
    | undefined;
  return row && new Map(JSON.parse(row.types) as [string, CellType][]);
}

/** Records the types of the columns of an import that starts. */
export function noteColumnTypes(db: Database.Database, importId: string, types: ColumnTypes): void {
  db.prepare('INSERT OR REPLACE INTO column_types VALUES (1, ?, ?)').run(
    importId,
    JSON.stringify([...types]),
  );
}

/**
 * Deletes the batches of appended records, unless one of them was settled or is ambiguous; the import is then finished
 * as it was before. Returns whether they were deleted.
 */
export function dropAppended(db: Database.Database, contents: Contents): boolean {
  const found = db.prepare(
    `SELECT 1 FROM batch WHERE file = ? AND start >= ? AND state <> ${WITHDRAWN} LIMIT 1`,
  );
  const forget = db.prepare('DELETE FROM batch WHERE file = ? AND start >= ?');
  const ends = contents.map((content, file) => [file, content?.length ?? 0] as const);
  const added = db.prepare(`SELECT 1 FROM batch WHERE file >= ? AND state <> ${WITHDRAWN} LIMIT 1`);
  const touched = ends.some((end) => found.get(...end)) || added.get(contents.length) !== undefined;
  if (contents.includes(null) || touched) return false;
  db.exec('BEGIN IMMEDIATE');
  for (const end of ends) forget.run(...end);
  db.prepare('DELETE FROM batch WHERE file >= ?').run(contents.length);
  db.exec('UPDATE import SET finished = 1; COMMIT');
  return true;
}
