import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import Database from 'libsql';
import { sqliteHeader } from '../../../kit/sqlite-file.ts';
import { readCredentials } from '../credentials.ts';
import { isForeign } from '../ownership.ts';
import { StoreForeign } from '../store.ts';

/** Tells a database of ours from any other SQLite file ("svcd"). */
export const APPLICATION_ID = 0x73766364;

/**
 * Whose an SQLite file is: `nobody`'s where it is missing or holds nothing yet, `unreadable` where it is not SQLite, or
 * is damaged. Files of ours bore no mark at first: those are told by their tables. Nothing is written to find out.
 */
export type Owner = 'ours' | 'nobody' | 'another program' | 'unreadable';

export function ownerOf(path: string): Owner {
  const state = statSync(path, { throwIfNoEntry: false });
  if (!state) return 'nobody';
  if (!state.isFile()) return 'unreadable';
  if (state.size === 0) return 'nobody';
  const header = sqliteHeader(path);
  if (!header) return 'unreadable';
  const mark = header.readUInt32BE(68);
  if (mark === APPLICATION_ID) return 'ours';
  if (mark !== 0) return 'another program';
  const tables = tablesOf(path, 'immutable=1');
  if (tables && tables.length > 0) return isForeign(tables) ? 'another program' : 'ours';
  // What a killed process wrote may all lie in the log still.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const logged = log > 0 ? tablesOf(path, 'mode=ro') : tables;
  if (!logged) return 'unreadable';
  if (logged.length > 0) return isForeign(logged) ? 'another program' : 'ours';
  const version = header.readUInt32BE(60);
  return version === 0 ? 'nobody' : 'another program';
}

/** Throws StoreForeign for what is another program's. A damaged file is ours where our credentials lie beside it. */
export function refuseForeign(path: string): void {
  const owner = ownerOf(path);
  if (owner === 'another program')
    throw new StoreForeign(`${path} is a database of another program: nothing was written to it`);
  const file = statSync(path, { throwIfNoEntry: false })?.isFile();
  if (owner === 'unreadable' && file && !hasCredentials(path))
    throw new StoreForeign(`${path} is not a database of svc: nothing was written to it`);
}

/** What the first start of our service leaves beside its data lies beside this file. */
export function hasCredentials(path: string): boolean {
  try {
    return readCredentials(`${path}.credentials.json`) !== undefined;
  } catch {
    return false;
  }
}

/** Undefined where the file cannot be read as a database. */
function tablesOf(path: string, how: 'immutable=1' | 'mode=ro'): string[] | undefined {
  let database: Database.Database | undefined;
  try {
    database = new Database(`${pathToFileURL(path).href}?${how}`);
    const rows = database.prepare('SELECT name FROM sqlite_master').all() as { name: string }[];
    return rows.map(({ name }) => name);
  } catch {
    return undefined;
  } finally {
    database?.close();
  }
}
