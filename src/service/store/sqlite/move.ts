import type { Sql } from '../store.ts';

/** The prefix of a table that a migration has replaced, while its rows have yet to be moved to the new one. */
const PREFIX = 'moving_';

/** Rows of the first piece, and of the largest. A row may be large: the size of pieces follows their duration. */
const FIRST = 64;
const MOST = 32_768;
/** How long a piece may take, in ms. */
const PIECE_MS = 250;

/** The number of rows of a next piece, after one that took `ms`. */
export function nextPiece(rows: number | undefined, ms: number): number {
  if (rows === undefined) return FIRST;
  return ms < PIECE_MS ? Math.min(rows * 2, MOST) : Math.max(Math.floor(rows / 2), 1);
}

/**
 * Moves up to `most` rows of a replaced table, in the caller's transaction, and drops replaced tables that are empty.
 * Returns false if nothing was left to move. Progress is not recorded: the rows that are left have to be moved, by any
 * process.
 */
export async function movePiece(sql: Sql, most: number): Promise<boolean> {
  const tables = await sql.all<{ name: string }>(
    `SELECT name FROM sqlite_master WHERE type = 'table' AND substr(name, 1, ${PREFIX.length}) = '${PREFIX}' ORDER BY name`,
  );
  for (const { name } of tables) {
    const table = name.slice(PREFIX.length);
    const piece = await sql.get<{ last: number | null }>(
      `SELECT max(rowid) AS last FROM (SELECT rowid FROM ${name} ORDER BY rowid LIMIT ?)`,
      [most],
    );
    const last = piece?.last ?? null;
    if (last === null) {
      await sql.run(`DROP TABLE ${name}`);
      continue;
    }
    // A later migration may have added columns to the new table.
    const rows = await sql.all<{ name: string }>(
      `SELECT name FROM pragma_table_info('${table}') WHERE name IN (SELECT name FROM pragma_table_info('${name}'))`,
    );
    const columns = rows.map((column) => column.name).join(', ');
    await sql.run(
      `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${name} WHERE rowid <= ? ORDER BY rowid`,
      [last],
    );
    await sql.run(`DELETE FROM ${name} WHERE rowid <= ?`, [last]);
    return true;
  }
  return false;
}
