import { statSync } from 'node:fs';
import { sqliteFileFault } from '../../../kit/sqlite-file.ts';
import { StoreUnusable } from '../store.ts';

/** What lies beside a file only after it held data. */
const COMPANIONS = ['.credentials.json', '.key'];

/**
 * Throws StoreUnusable for a file of which a part or all is lost although SQLite would go on with it: one that ends too
 * early, one that is gone or empty although its log is there (which SQLite would remove), and an empty one beside which
 * its key still lies. A fresh start must be asked for.
 */
export function refuseLostData(path: string): void {
  if (sqliteFileFault(path) === 'cut short')
    throw new StoreUnusable(`${path} is damaged: it was cut short; restore it from a backup`);
  const size = sizeOf(path);
  if (size !== undefined && size > 0) return;
  const log = sizeOf(`${path}-wal`) ?? 0;
  if (log === 0 && (size === undefined || COMPANIONS.every((name) => sizeOf(path + name) === undefined)))
    return;
  throw new StoreUnusable(
    `${path} is ${size === undefined ? 'gone' : 'empty'}, but ${log > 0 ? 'its log' : 'what belongs to it'} is still there: restore it from a backup`,
  );
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    // Missing, or not to be looked at: SQLite finds words for the latter.
    return undefined;
  }
}
