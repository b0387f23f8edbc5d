import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteConnection } from '../../../../../src/service/platform/store/sqlite/connection.ts';
import { tableSizes } from '../../../../../src/service/platform/store/sqlite/table-sizes.ts';

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sizes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'x.db');
}

test('tables with long rows, indexes and free pages are as large as SQLite itself says, page by page', async () => {
  const sql = new SqliteConnection(newFile());
  onTestFinished(() => sql.close());
  sql.exec('CREATE TABLE short (a INTEGER PRIMARY KEY, b TEXT)');
  sql.exec('CREATE TABLE long (a TEXT PRIMARY KEY, b BLOB) WITHOUT ROWID');
  sql.exec('CREATE TABLE gone (a BLOB)');
  sql.exec('CREATE INDEX short_b ON short (b)');
  const numbers = (n: number) =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${n})`;
  sql.exec(`INSERT INTO short ${numbers(20_000)} SELECT i, 'text ' || (i * 7919 % 20000) FROM n`);
  // Rows over several pages, in more pages than one pointer map has.
  sql.exec(`INSERT INTO long ${numbers(400)} SELECT 'key ' || i, zeroblob(20000 + i) FROM n`);
  sql.exec(`INSERT INTO gone ${numbers(100)} SELECT zeroblob(30000) FROM n`);
  sql.exec('DELETE FROM gone WHERE rowid % 2 = 0');
  const expected = await sql.all<{ name: string; bytes: number }>(
    `SELECT s.tbl_name AS name, SUM(d.pgsize) AS bytes FROM dbstat d JOIN sqlite_schema s ON s.name = d.name GROUP BY 1`,
  );
  const free = (await sql.get<{ n: number }>('SELECT freelist_count AS n FROM pragma_freelist_count()'))!.n;
  expect(free).toBeGreaterThan(100);
  expect(await tableSizes(sql)).toEqual(
    new Map([...expected.map(({ name, bytes }) => [name, bytes] as const), ['', free * 4096]]),
  );
});

test('a file without pointer maps is not measured', async () => {
  const path = newFile();
  const first = new Database(path);
  first.exec('PRAGMA auto_vacuum=NONE; CREATE TABLE t (a)');
  first.close();
  const sql = new SqliteConnection(path);
  onTestFinished(() => sql.close());
  expect(await tableSizes(sql)).toBeUndefined();
});
