import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../kit/clock.ts';
import { type Limiter, type LimiterTime, localLimiter } from './limits/limiter.ts';
import type { SteadyClock } from './limits/limiter-clock.ts';
import type { Migrated } from './store/migrate.ts';
import { identityOf, isPostgres } from './store/postgres/url.ts';
import { MIGRATIONS } from './store/schema/index.ts';
import type { Migration } from './store/schema/migration.ts';
import { SqliteStore } from './store/sqlite/store.ts';
import type { Store } from './store/store.ts';

export interface Opened {
  readonly store: Store;
  readonly limiter: Limiter;
  readonly limiterTime: LimiterTime;
  /** True if other machines may use the database: keys and secrets stay on the machine that created them. */
  readonly shared: boolean;
}

/**
 * Opens and migrates a database: an SQLite file or a PostgreSQL URL. `share` is this process's part of the connections of
 * a node. Rejects with StoreUnusable or StoreUnavailable.
 */
export async function openStore(
  database: string,
  clock: Clock,
  steady: SteadyClock,
  share: number,
): Promise<Opened> {
  if (isPostgres(database)) {
    // Imported on demand: the driver would slow down every start.
    const { PostgresStore } = await import('./store/postgres/store.ts');
    const { postgresLimiter, postgresLimiterTime } = await import('./limits/postgres-limiter.ts');
    const store = await PostgresStore.open(database, clock, share);
    return {
      store,
      limiter: postgresLimiter(store, steady),
      limiterTime: postgresLimiterTime,
      shared: true,
    };
  }
  const store = await SqliteStore.open(database, clock);
  return { store, ...(await localLimiter(store, clock, steady)), shared: false };
}

/** Opens the data without a limiter: for a process that reads it and serves no requests. */
export async function connectStore(database: string, clock: Clock): Promise<Store> {
  if (!isPostgres(database)) return SqliteStore.open(database, clock);
  const { PostgresStore } = await import('./store/postgres/store.ts');
  return PostgresStore.open(database, clock);
}

/** Migrates a database and closes it. Returns the schema versions before and after. */
export async function migrateStore(
  database: string,
  clock: Clock,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<Migrated> {
  const Engine = isPostgres(database)
    ? (await import('./store/postgres/store.ts')).PostgresStore
    : SqliteStore;
  const { store, from, to } = await Engine.openAndMigrate(database, clock, migrations);
  await store.close();
  return { from, to };
}

/**
 * The path prefix of the files that belong to a database (credentials, data key, outbox): beside an SQLite file, or in
 * the data directory for PostgreSQL, with one set of files per database.
 */
export function filesOf(database: string, dataDir: string): string {
  if (!isPostgres(database)) return database;
  const id = createHash('sha256').update(identityOf(database)).digest('hex').slice(0, 16);
  return join(dataDir, `postgres-${id}`);
}
