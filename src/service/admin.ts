/**
 * Administration of a database without a running service. The only entry to the stores for code outside the service;
 * loads a store when it is first used, because most commands need none.
 */
import type { Clock } from '../kit/clock.ts';
import type { DumpKind } from './store/dump.ts';
import type { RemovableDatabase } from './store/sqlite/removal.ts';

export { isPostgres } from './store/postgres/url.ts';

export interface ExportSession {
  /** Returns the records of a kind as JSON text, oldest first where they are numbered. */
  records(kind: DumpKind): AsyncIterable<string>;
  close(): Promise<void>;
}

/** Opens a database for export, also while a service runs on it. Rejects with StoreUnusable or StoreUnavailable. */
export async function openForExport(database: string, clock: Clock): Promise<ExportSession> {
  const { connectStore } = await import('./store/open.ts');
  const { dump } = await import('./store/dump.ts');
  const store = await connectStore(database, clock);
  return { records: (kind) => dump(store, kind), close: () => store.close() };
}

/** Migrates a database to the schema of this program. Resolves with the versions before and after. */
export async function migrateDatabase(
  database: string,
  clock: Clock,
): Promise<{ readonly from: number; readonly to: number }> {
  const { migrateStore } = await import('./store/open.ts');
  return migrateStore(database, clock);
}

/** Prepares the removal of an SQLite database. Rejects with StoreForeign or StoreInUse. */
export async function prepareRemoval(file: string): Promise<RemovableDatabase> {
  const { checkRemovable } = await import('./store/sqlite/removal.ts');
  return checkRemovable(file);
}
