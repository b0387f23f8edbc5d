import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import pg from 'pg';
import { MIGRATIONS } from '../../../src/service/store/migrations/index.ts';
import { postgresDialect } from '../../../src/service/store/postgres/transaction.ts';
import { isPostgres } from '../../../src/service/store/postgres/url.ts';
import { sqliteDialect } from '../../../src/service/store/sqlite/connection.ts';
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

/** Tables whose rows the program makes, or that a migration has to read as they are. */
const OWN_ROWS = ['schema_migration', 'svc_decisioning_service', 'setting', 'limiter_time', 'workspace'];
const TABLES = [
  'api_key',
  'admission',
  'admission_head',
  'idempotency',
  'event',
  'app_user',
  'decided_user',
  'recent_event',
  'contact',
  'decision',
  'message',
  'outcome',
  'reward_head',
  'reward',
  'model_head',
  'model',
  'notification',
  'webhook',
  'delivery',
  'delivery_attempt',
  'fan_out',
  'dropped_webhook',
  'user_signal',
  'polled_channel',
];

/** The number of workspaces that share the rows. */
const WORKSPACES = 3;
const ONE_PER_WORKSPACE = ['reward_head', 'model_head'];

/**
 * Creates a database of an earlier schema with `rows` rows in each of its tables, half of them null where they may be.
 * `events` more events follow.
 */
export async function fillOlder(database: string, version: number, rows: number, events = 0): Promise<void> {
  const { run, close } = await outside(database);
  const engine = isPostgres(database) ? 'postgres' : 'sqlite';
  const dialect = engine === 'postgres' ? postgresDialect : sqliteDialect;
  await run('BEGIN');
  await run(`CREATE TABLE schema_migration (id INTEGER PRIMARY KEY, applied_at ${dialect.bigint} NOT NULL)`);
  for (const { id, up } of MIGRATIONS.filter((migration) => migration.id <= version)) {
    for (const statement of up(dialect)) await run(statement);
    await run(`INSERT INTO schema_migration (id, applied_at) VALUES (${id}, 1)`);
  }
  const blob = engine === 'postgres' ? "'\\x00ff'::bytea" : "x'00ff'";
  for (let i = 0; i < WORKSPACES; i++)
    await run(
      `INSERT INTO workspace (workspace_id, region, hash_key, created_at) VALUES ('ws_${i}', NULL, ${blob}, ${i})`,
    );
  const created = MIGRATIONS.filter(({ id }) => id <= version).flatMap(({ up }) => up(dialect));
  for (const table of TABLES) {
    const columns = columnsOf(table, created, blob);
    if (columns.length === 0) continue;
    const fill = (count: number) =>
      run(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
         INSERT INTO ${table} (${columns.map(([name]) => name).join(', ')})
         SELECT ${columns.map(([, value]) => value).join(', ')} FROM n`,
      );
    await fill(ONE_PER_WORKSPACE.includes(table) ? WORKSPACES : rows);
    if (table === 'event' && events > 0) await fill(events);
  }
  await run('COMMIT');
  await close();
}

/** Changes the schema of a database to that of a later version, as its migrations do, but moves no rows (move.ts). */
export async function advanceOlder(database: string, from: number, to: number): Promise<void> {
  const { run, close } = await outside(database);
  const dialect = isPostgres(database) ? postgresDialect : sqliteDialect;
  for (const { id, up } of MIGRATIONS.filter((migration) => migration.id > from && migration.id <= to)) {
    await run('BEGIN');
    for (const statement of up(dialect)) await run(statement);
    await run(`INSERT INTO schema_migration (id, applied_at) VALUES (${id}, 1)`);
    await run('COMMIT');
  }
  await close();
}

/** The columns of a table that an insert names, with a value that depends on `i`. */
function columnsOf(table: string, created: readonly string[], blob: string): [name: string, value: string][] {
  const definition = created.find((sql) => sql.startsWith(`CREATE TABLE ${table} (`));
  if (!definition) return [];
  const lines = definition
    .slice(definition.indexOf('(') + 1)
    .split('\n')
    .map((line) => line.trim());
  const added = created
    .filter((sql) => sql.startsWith(`ALTER TABLE ${table} ADD COLUMN `))
    .map((sql) => sql.slice(`ALTER TABLE ${table} ADD COLUMN `.length));
  return [...lines, ...added].flatMap((line): [string, string][] => {
    const [, name, type] = /^([a-z_]+) (TEXT|BIGINT|INTEGER|DOUBLE|BLOB|BYTEA)\b/.exec(line) ?? [];
    // Numbers that the engine gives.
    if (!name || /AUTOINCREMENT|IDENTITY/.test(line)) return [];
    const value = sampleOf(name, type!, blob);
    const required = /NOT NULL|PRIMARY KEY/.test(line);
    return [[name, required ? value : `CASE WHEN i % 2 = 0 THEN ${value} END`]];
  });
}

function sampleOf(name: string, type: string, blob: string): string {
  if (name === 'workspace_id') return `'ws_' || CAST(i % ${WORKSPACES} AS TEXT)`;
  if (type === 'BLOB' || type === 'BYTEA') return blob;
  return type === 'TEXT' ? `'${name} ' || CAST(i AS TEXT)` : 'i';
}

/** Columns that migrations have added to a table, renamed or replaced. */
const RENAMED: Record<string, string> = { seq: 'number', fan_out_id: 'number' };
const NEW_COLUMNS: Record<string, readonly string[]> = {
  dropped_webhook: ['workspace_id'],
};

/**
 * The rows of a database of any schema as sorted text, by table, in the names of the newest one, so that two of them are
 * equal if a migration has changed no data. `columns` of an earlier schema leaves out what was added since.
 */
export async function contentOf(
  database: string,
  columns?: ReadonlyMap<string, ReadonlySet<string>>,
): Promise<Map<string, string[]>> {
  const { rows, close } = await outside(copyToRead(database));
  const names = await rows(
    isPostgres(database)
      ? "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'"
      : "SELECT name FROM sqlite_master WHERE type = 'table'",
  );
  const content = new Map<string, string[]>();
  for (const { name } of names) {
    const table = String(name);
    if (!TABLES.includes(table) || OWN_ROWS.includes(table)) continue;
    const lines = (await rows(`SELECT * FROM ${table}`)).map((row) =>
      lineOf(table, row, columns?.get(table)),
    );
    content.set(table, lines.sort());
  }
  await close();
  return content;
}

/** The columns of each table of a content, for a comparison with that of a newer schema. */
export function columnsOfContent(content: ReadonlyMap<string, readonly string[]>) {
  return new Map(
    [...content].map(([table, [first = '{}']]) => [table, new Set(Object.keys(JSON.parse(first)))] as const),
  );
}

function lineOf(table: string, row: Record<string, unknown>, known: ReadonlySet<string> | undefined): string {
  const fields = Object.entries(row).flatMap(([name, value]): [string, string | null][] => {
    const column = RENAMED[name] ?? name;
    if (NEW_COLUMNS[table]?.includes(name) || (known && !known.has(column))) return [];
    const text =
      value instanceof Uint8Array || value instanceof ArrayBuffer
        ? Buffer.from(value as Uint8Array).toString('hex')
        : String(value).replace(/^fan_(?=\d+$)/, '');
    return [[column, value === null ? null : text]];
  });
  return JSON.stringify(Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1))));
}
