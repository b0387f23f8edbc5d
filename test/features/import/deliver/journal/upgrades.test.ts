import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { runSvc } from '../../../../support/process/run-svc.ts';
import { tempDir } from '../../../../support/temp.ts';

/**
 * The schemas that journals were written with, oldest first; the last is today's. A journal somewhere has each of them:
 * a change to the schema of src/features/import/journal/journal.ts needs a new entry here, and code there that resumes the earlier ones.
 */
const TABLES = `
  CREATE TABLE import (
    one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, finished INTEGER NOT NULL, options TEXT NOT NULL,
    inputs TEXT NOT NULL, rejects_path TEXT NOT NULL, rejects_length INTEGER NOT NULL);
  CREATE TABLE batch (
    seq INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL, finish INTEGER NOT NULL,
    first_line INTEGER NOT NULL, last_line INTEGER NOT NULL, records INTEGER NOT NULL, digest TEXT NOT NULL,
    state INTEGER NOT NULL, sent_at INTEGER NOT NULL);`;
const MARKED = `PRAGMA application_id = ${0x7376636a}; ${TABLES}`;
const CONTENT = `
  CREATE TABLE content (
    one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, inputs TEXT NOT NULL);`;
const TYPES = `
  CREATE TABLE column_types (
    one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, types TEXT NOT NULL);`;
const SCHEMAS = [TABLES, MARKED, `${MARKED} ${CONTENT}`, `${MARKED} ${CONTENT} ${TYPES}`];

const IMPORT = ['events', 'import', 'events.ndjson', '-p', 'local', '--batch-size', '50', '--json'];

/** A home with an import that stopped at a bad record after 200 good ones. */
async function unfinished(): Promise<{ home: string; journal: string }> {
  const home = tempDir();
  const event = (i: number) => `{"userId":"u${i}","event":"e","timestamp":"2026-01-01T00:00:00Z"}`;
  const lines = Array.from({ length: 300 }, (_, i) => (i === 240 ? '{"userId": 7}' : event(i)));
  writeFileSync(join(home, 'events.ndjson'), `${lines.join('\n')}\n`);
  expect((await runSvc([...IMPORT, '--max-errors', '1'], { home })).code).toBe(7);
  const folder = join(home, 'data', 'imports');
  const name = readdirSync(folder).find((file) => file.endsWith('.journal'))!;
  return { home, journal: join(folder, name) };
}

function tables(db: Database.Database): string[] {
  const rows = db.prepare("SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY name").all() as {
    sql: string;
  }[];
  const mark = db.pragma('application_id') as { application_id: number }[];
  return [...rows.map(({ sql }) => sql.replace(/\s+/g, ' ')), String(mark[0]?.application_id)];
}

test('the newest schema on record is the one that is written', async () => {
  const { journal } = await unfinished();
  const written = new Database(journal);
  const recorded = new Database(':memory:');
  recorded.exec(SCHEMAS.at(-1)!);
  expect(tables(written), 'add the new schema to SCHEMAS, and keep the old ones').toEqual(tables(recorded));
  written.close();
  recorded.close();
});

test.each(SCHEMAS.map((schema, i) => [i + 1, schema] as const))(
  'a journal of schema %i is resumed',
  async (_, schema) => {
    const { home, journal } = await unfinished();
    const today = new Database(journal);
    const state = today.prepare('SELECT * FROM import').all() as Record<string, string | number>[];
    const batches = today.prepare('SELECT * FROM batch').all() as Record<string, string | number>[];
    today.close();
    rmSync(journal);
    const older = new Database(journal);
    older.exec(schema);
    const copy = (table: string, rows: Record<string, string | number>[]) => {
      const names = (older.prepare(`PRAGMA table_info(${table})`).all() as { name: string }[]).map(
        ({ name }) => name,
      );
      const insert = older.prepare(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      );
      for (const row of rows) insert.run(...names.map((name) => row[name]!));
    };
    copy('import', state);
    copy('batch', batches);
    older.close();
    const { code, stdout } = await runSvc([...IMPORT, '--resume'], { home });
    const { skipped, accepted, rejected, read } = JSON.parse(stdout);
    // The bad record has its end: it is in the rejects file already.
    expect(code).toBe(0);
    expect(skipped).toBeGreaterThanOrEqual(200);
    expect({ read, rejected, all: skipped + accepted }).toEqual({ read: 300, rejected: 0, all: 300 });
    const { stdout: exported } = await runSvc(['data', 'export', '-p', 'local', '--json'], { home });
    const users = [...exported.matchAll(/"userId":"(u\d+)"/g)].map(([, user]) => user);
    expect(new Set(users).size).toBe(299);
    expect(users).toHaveLength(299);
  },
);

test('a finished journal without a content digest: sends nothing for the same input, and refuses another one', async () => {
  const home = tempDir();
  const file = join(home, 'events.ndjson');
  const line = '{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}\n';
  writeFileSync(file, line);
  expect((await runSvc(IMPORT, { home })).code).toBe(0);
  const folder = join(home, 'data', 'imports');
  const db = new Database(join(folder, readdirSync(folder).find((name) => name.endsWith('.journal'))!));
  db.exec('DROP TABLE content');
  db.close();
  expect(JSON.parse((await runSvc([...IMPORT, '--resume'], { home })).stdout)).toMatchObject({ skipped: 1 });
  const older = new Database(join(folder, readdirSync(folder).find((name) => name.endsWith('.journal'))!));
  older.exec('DELETE FROM content');
  older.close();
  writeFileSync(file, line + line);
  const run = await runSvc([...IMPORT, '--resume'], { home });
  expect([run.code, JSON.parse(run.stderr).error.code]).toEqual([2, 'input_changed']);
});
