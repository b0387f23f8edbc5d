import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import Database from 'libsql';
import pg from 'pg';
import { MIGRATIONS } from '../../../src/service/store/migrations/index.ts';
import { postgresDialect } from '../../../src/service/store/postgres/transaction.ts';
import { isPostgres } from '../../../src/service/store/postgres/url.ts';
import { sqliteDialect } from '../../../src/service/store/sqlite/connection.ts';

type Run = (sql: string, params?: (string | number | Buffer)[]) => Promise<unknown>;

export const OLDER = {
  workspace: 'ws_older',
  apiKey: 'sk_test_older',
  /** A request that the older version answered, and its answer. */
  body: '{"events":[{"userId":"u2","event":"answered","timestamp":"2026-01-01T00:00:00Z"}]}',
  key: 'older-key',
  answer: '{"accepted":1,"requestId":"req_older"}',
} as const;

/**
 * Creates a database as written by the program with schema `version`: its migrations, a workspace with a key, an event,
 * and an answer under an idempotency key. Use only statements of that version.
 */
export async function writeOlder(database: string, files: string, version: number): Promise<void> {
  const { run, close } = await open(database);
  const dialect = isPostgres(database) ? postgresDialect : sqliteDialect;
  await run(`CREATE TABLE schema_migration (id INTEGER PRIMARY KEY, applied_at ${dialect.bigint} NOT NULL)`);
  const now = Date.now();
  for (const { id, up } of MIGRATIONS.filter((migration) => migration.id <= version)) {
    await run('BEGIN');
    for (const statement of up(dialect)) await run(statement);
    await run('COMMIT');
    await run('INSERT INTO schema_migration (id, applied_at) VALUES (?, ?)', [id, now]);
  }
  const { workspace, apiKey, body, key, answer } = OLDER;
  await run('INSERT INTO workspace (workspace_id, region, hash_key, created_at) VALUES (?, NULL, ?, ?)', [
    workspace,
    Buffer.alloc(32, 7),
    now,
  ]);
  await run('INSERT INTO api_key (key_hash, workspace_id, created_at) VALUES (?, ?, ?)', [
    sha256(apiKey),
    workspace,
    now,
  ]);
  const numbered = version >= 8;
  if (numbered)
    await run("INSERT INTO event_head (workspace_id, number, names) VALUES (?, 2, '[]')", [workspace]);
  for (const [i, userId] of ['u1', 'u2'].entries())
    await run(
      `INSERT INTO event (workspace_id, user_id, event, timestamp, properties, received_at${numbered ? ', number' : ''})
       VALUES (?, ?, ?, ?, ?, ?${numbered ? `, ${i + 1}` : ''})`,
      [workspace, userId, 'answered', '2026-01-01T00:00:00Z', '{"n":12345678901234567890}', now],
    );
  await run(
    'INSERT INTO idempotency (workspace_id, key, digest, status, body, expires_at) VALUES (?, ?, ?, 202, ?, ?)',
    [workspace, key, sha256(`ingestEvents /v1/events\n${body}`), answer, now + 3_600_000],
  );
  await close();
  writeFileSync(`${files}.credentials.json`, JSON.stringify({ workspace, apiKey }), { mode: 0o600 });
}

async function open(database: string): Promise<{ run: Run; close: () => Promise<void> }> {
  if (isPostgres(database)) {
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    return {
      run: (sql, params) => {
        let n = 0;
        return client.query(params ? sql.replace(/\?/g, () => `$${++n}`) : sql, params);
      },
      close: () => client.end(),
    };
  }
  const db = new Database(database);
  db.exec('PRAGMA journal_mode=WAL');
  return {
    // Prepared statements would keep the connection open until they are collected.
    run: async (sql, params = []) => {
      let n = 0;
      db.exec(sql.replace(/\?/g, () => literal(params[n++]!)));
    },
    close: async () => void db.close(),
  };
}

const literal = (value: string | number | Buffer) =>
  Buffer.isBuffer(value)
    ? `x'${value.toString('hex')}'`
    : typeof value === 'number'
      ? String(value)
      : `'${value.replaceAll("'", "''")}'`;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
