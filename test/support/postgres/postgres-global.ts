import type { TestProject } from 'vitest/node';
import { systemClock } from '../../../src/kit/clock.ts';
import { migrateStore } from '../../../src/service/platform/open.ts';
import { coordinator, dropDistributed } from './citus.ts';
import { createDatabase, startPostgres } from './postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Superuser URL of the server that the tests of this run share. */
    postgres: string;
    /** Name of a database there with the tables of this program and no rows, of which others are copies. */
    migrated: string;
  }
}

/**
 * Provides one server per run: the coordinator of SVC_TEST_CITUS_URL or the server of SVC_TEST_POSTGRES_URL (superuser
 * URLs), or else an embedded one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void> | undefined> {
  const named = coordinator ?? process.env.SVC_TEST_POSTGRES_URL;
  const server = named ? undefined : await startPostgres();
  const admin = named ?? server!.admin;
  const migrated = await createDatabase(admin);
  await migrateStore(migrated, systemClock);
  project.provide('postgres', admin);
  project.provide('migrated', new URL(migrated).pathname.slice(1));
  return () => (coordinator ? dropDistributed(coordinator) : server?.stop());
}
