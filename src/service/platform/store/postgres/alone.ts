import pg from 'pg';
import { translate } from './errors.ts';
import { connectionSettings, MIGRATION_TIMEOUT_MS } from './settings.ts';

/** Runs a statement that may take hours, on a connection of its own. `where` names the database in errors. */
export async function runAlone(url: string, where: string, statement: string): Promise<void> {
  const client = new pg.Client({ ...connectionSettings(url), query_timeout: MIGRATION_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SET statement_timeout = 0');
    await client.query(statement);
  } catch (error) {
    throw translate(error, where);
  } finally {
    await client.end().catch(() => {});
  }
}
