import { pathToFileURL } from 'node:url';
import Database from 'libsql';

/**
 * Evaluates an SQL expression, which must give text, in an SQLite file without changing the file. `mode=ro` sees the
 * write-ahead log; `immutable=1` takes no lock and does not. Undefined for NULL. Throws the error of SQLite.
 *
 * The text is read from the message of an error: the driver keeps a connection, and with it the lock, until the prepared
 * statements of the connection are collected, and other processes would be refused until then.
 */
export function peekSqlite(
  path: string,
  expression: string,
  how: 'immutable=1' | 'mode=ro',
): string | undefined {
  const database = new Database(`${pathToFileURL(path).href}?${how}`, { timeout: 0 });
  try {
    return peek(database, expression);
  } finally {
    database.close();
  }
}

/** Evaluates an SQL expression on an open connection, without a prepared statement (see `peekSqlite`). */
function peek(database: Database.Database, expression: string): string | undefined {
  try {
    database.exec(`SELECT json_extract('{}', (${expression}))`);
    return undefined;
  } catch (error) {
    const [, text] = /^bad JSON path: '(.*)'$/s.exec((error as Error).message) ?? [];
    if (text === undefined) throw error;
    return text.replaceAll("''", "'");
  }
}
