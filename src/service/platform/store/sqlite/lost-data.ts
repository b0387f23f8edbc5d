import { statSync } from 'node:fs';
import { sqliteFileFault } from '../../../../kit/files/sqlite-file.ts';
import { StoreUnusable } from '../store.ts';

/** Suffixes of the files that exist beside a database only after it held data. */
const COMPANIONS = ['.credentials.json', '.key'];

/**
 * Throws StoreUnusable if data is lost that SQLite would not miss: a truncated file, a missing or empty file whose log
 * exists (SQLite would delete the log), or an empty file beside its key. Starting fresh must be an explicit choice.
 */
export function refuseLostData(path: string): void {
  if (sqliteFileFault(path) === 'cut short')
    throw new StoreUnusable(`${path} is damaged: it is truncated. Restore it from a backup`);
  const size = sizeOf(path);
  if (size !== undefined && size > 0) return;
  const log = sizeOf(`${path}-wal`) ?? 0;
  if (log === 0 && (size === undefined || COMPANIONS.every((name) => sizeOf(path + name) === undefined)))
    return;
  throw new StoreUnusable(
    `${path} is ${size === undefined ? 'missing' : 'empty'}, but ${log > 0 ? 'its log' : 'its key or credentials file'} exists: restore it from a backup`,
  );
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    // Missing or not accessible. SQLite reports the latter.
    return undefined;
  }
}
