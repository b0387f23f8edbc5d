import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempDir } from '../temp.ts';
import { coordinator } from './citus.ts';
import { createDatabase, dropDatabase, startPostgres } from './postgres.ts';

/** The engines that a test which breaks things runs on: Citus too where SVC_TEST_CITUS_URL names a coordinator. */
export const ENGINES = ['SQLite', 'PostgreSQL', ...(coordinator ? ['Citus'] : [])];

/** Returns a function that makes empty databases of an engine, which go away with the test. */
export async function databasesOn(engine: string): Promise<() => Promise<string>> {
  if (engine === 'SQLite') return async () => join(tempDir(), 'data.db');
  if (engine === 'PostgreSQL') {
    const server = await startPostgres({ durable: true });
    onTestFinished(() => server.stop());
    return () => createDatabase(server.admin);
  }
  return async () => {
    const database = await createDatabase(coordinator!);
    onTestFinished(() => dropDatabase(coordinator!, database));
    return database;
  };
}

/** Makes one empty database of an engine, which goes away with the test. */
export async function databaseOn(engine: string): Promise<string> {
  return (await databasesOn(engine))();
}
