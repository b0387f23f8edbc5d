import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import pg from 'pg';
import { isPostgres } from '../../../src/service/platform/store/postgres/url.ts';
import { tempDir } from '../temp.ts';

/** Runs statements outside the program, and reads rows. */
export interface Outside {
  run(sql: string): Promise<void>;
  rows(sql: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

export async function outside(database: string): Promise<Outside> {
  if (isPostgres(database)) {
    const client = new pg.Client({ connectionString: database });
    client.on('error', () => {});
    await client.connect();
    return {
      run: async (sql) => void (await client.query(sql)),
      rows: async (sql) => (await client.query(sql)).rows,
      close: () => client.end(),
    };
  }
  const file = new Database(database);
  file.exec('PRAGMA journal_mode=WAL; PRAGMA busy_timeout=10000');
  return {
    run: async (sql) => void file.exec(sql),
    rows: async (sql) => file.prepare(sql).all() as Record<string, unknown>[],
    close: async () => void file.close(),
  };
}

/**
 * A database to read while no process has it open: for SQLite a copy, because the driver keeps a connection open until
 * its statements are collected.
 */
export function copyToRead(database: string): string {
  if (isPostgres(database)) return database;
  const copy = join(tempDir(), 'copy.db');
  for (const suffix of ['', '-wal'])
    if (existsSync(database + suffix)) copyFileSync(database + suffix, copy + suffix);
  return copy;
}
