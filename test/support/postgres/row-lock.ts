import pg from 'pg';
import { onTestFinished, vi } from 'vitest';
import { coordinator } from './citus.ts';

/** A separate session on a database that locks rows and inspects the locks of others. */
export interface Outsider {
  /** Locks the rows of a SELECT, until `release` or the end of the test. */
  lock(select: string, values?: unknown[]): Promise<void>;
  release(): Promise<void>;
  /** Resolves once `count` sessions wait for a lock. */
  waiters(count?: number): Promise<void>;
  /** True if no other session has locked the rows of a SELECT. */
  isFree(select: string, values?: unknown[]): Promise<boolean>;
  query(sql: string, values?: unknown[]): Promise<pg.QueryResult>;
}

export async function outsider(database: string): Promise<Outsider> {
  const holder = new pg.Client({ connectionString: database });
  const watcher = new pg.Client({ connectionString: database });
  for (const client of [holder, watcher]) {
    client.on('error', () => {});
    await client.connect();
    onTestFinished(() => client.end());
  }
  return {
    lock: async (select, values) => {
      await holder.query('BEGIN');
      const { rowCount } = await holder.query(`${select} FOR UPDATE`, values);
      if (rowCount === 0) throw new Error(`no row to lock: ${select}`);
    },
    release: async () => void (await holder.query('ROLLBACK')),
    waiters: async (count = 1) => {
      const sql = `SELECT count(DISTINCT pid)::int AS n FROM ${coordinator ? 'citus_locks' : 'pg_locks'} WHERE NOT granted`;
      await vi.waitUntil(async () => (await watcher.query(sql)).rows[0].n >= count, { timeout: 8_000 });
    },
    isFree: async (select, values) => {
      try {
        await watcher.query(`${select} FOR UPDATE NOWAIT`, values);
        return true;
      } catch (error) {
        if ((error as { code?: string }).code !== '55P03') throw error;
        return false;
      }
    },
    query: (sql, values) => watcher.query(sql, values),
  };
}
