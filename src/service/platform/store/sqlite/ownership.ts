import { statSync } from 'node:fs';
import { sqliteHeader } from '../../../../kit/files/sqlite-file.ts';
import { peekSqlite } from '../../../../kit/files/sqlite-peek.ts';
import { readCredentials } from '../credentials.ts';
import { isForeign } from '../ownership.ts';
import { StoreForeign } from '../store.ts';

/** SQLite application id of this program's databases ("svcd"). */
export const APPLICATION_ID = 0x73766364;

/**
 * The owner of an SQLite file: `nobody` if it is missing or empty, `unreadable` if it is not SQLite or is damaged. Early
 * versions set no application id; their files are recognized by their tables. The check writes nothing.
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
  // After a killed process all data may still be in the log.
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const logged = log > 0 ? tablesOf(path, 'mode=ro') : tables;
  if (!logged) return 'unreadable';
  if (logged.length > 0) return isForeign(logged) ? 'another program' : 'ours';
  const version = header.readUInt32BE(60);
  return version === 0 ? 'nobody' : 'another program';
}

/** Throws StoreForeign for a file of another program. A damaged file with our credentials beside it counts as ours. */
export function refuseForeign(path: string): void {
  const owner = ownerOf(path);
  if (owner === 'another program')
    throw new StoreForeign(`${path} is a database of another program: nothing was written to it`);
  const file = statSync(path, { throwIfNoEntry: false })?.isFile();
  if (owner === 'unreadable' && file && !hasCredentials(path))
    throw new StoreForeign(`${path} is not a database of svc: nothing was written to it`);
}

/** True if the credentials file of the service exists beside this file. */
export function hasCredentials(path: string): boolean {
  try {
    return readCredentials(`${path}.credentials.json`) !== undefined;
  } catch {
    return false;
  }
}

const NAMES = "SELECT COALESCE(group_concat(name, char(10)), '') FROM sqlite_master";

/** The names in the schema; undefined if the file is not a readable database. */
function tablesOf(path: string, how: 'immutable=1' | 'mode=ro'): string[] | undefined {
  try {
    return peekSqlite(path, NAMES, how)
      ?.split('\n')
      .filter((name) => name !== '');
  } catch {
    return undefined;
  }
}
