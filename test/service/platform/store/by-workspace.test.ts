import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/kit/clock.ts';
import { connectStore } from '../../../../src/service/platform/open.ts';
import { GLOBAL_TABLES, LOOK_INDEX } from '../../../../src/service/platform/store/global-tables.ts';
import type { Tx } from '../../../../src/service/platform/store/store.ts';
import { freshDatabase } from '../../../support/postgres/database.ts';
import { tempDir } from '../../../support/temp.ts';

interface Key {
  readonly table: string;
  readonly index: string;
  readonly primary: boolean;
  readonly first: string | null;
}

/** Per engine: the first column of every index of the schema, primary keys included. */
const KEYS = {
  sqlite: `SELECT m.name AS "table", i.name AS "index", i.origin = 'pk' AS "primary",
      (SELECT c.name FROM pragma_index_info(i.name) c WHERE c.seqno = 0) AS "first"
    FROM sqlite_master m JOIN pragma_index_list(m.name) i WHERE m.type = 'table'
    UNION ALL
    SELECT m.name, 'rowid', 1, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
    WHERE m.type = 'table' AND c.pk = 1 AND upper(c.type) = 'INTEGER'
      AND NOT EXISTS (SELECT 1 FROM pragma_index_list(m.name) i WHERE i.origin = 'pk')`,
  postgres: `SELECT t.relname AS "table", i.relname AS "index", x.indisprimary AS "primary", a.attname AS "first"
    FROM pg_index x JOIN pg_class t ON t.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
      LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = x.indkey[0]
    WHERE t.relnamespace = 'public'::regnamespace`,
};
const TABLES = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  postgres:
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
};

/** What of a schema does not begin with the workspace. */
async function strangers({ sql }: Tx): Promise<string[]> {
  const engine = sql.dialect.name;
  const tables = (await sql.all<{ name: string }>(TABLES[engine])).map(({ name }) => name);
  const keys = await sql.all<Key>(KEYS[engine]);
  const found: string[] = [];
  for (const table of tables.filter((name) => !GLOBAL_TABLES.includes(name))) {
    const own = keys.filter((key) => key.table === table);
    if (!own.some(({ primary }) => primary)) found.push(`${table} has no primary key`);
    for (const { index, first } of own)
      if (first !== 'workspace_id' && index !== LOOK_INDEX)
        found.push(`${table}: ${index} begins with ${first}`);
  }
  return found;
}

test('every key of the schema begins with the workspace, but for the few global tables', async () => {
  const store = await connectStore(await freshDatabase(tempDir()), systemClock);
  expect(await store.read(strangers)).toEqual([]);
  // What breaks the rule is found.
  await store.write(({ sql }) =>
    sql.run('CREATE TABLE stranger (id INTEGER PRIMARY KEY, workspace_id TEXT NOT NULL)'),
  );
  await store.write(({ sql }) => sql.run('CREATE INDEX stray ON event (user_id)'));
  await store.write(({ sql }) => sql.run('CREATE TABLE keyless (workspace_id TEXT NOT NULL)'));
  expect(
    (await store.read(strangers)).map((text) => text.replace(/stranger_pkey|rowid/, 'key')).sort(),
  ).toEqual([
    'event: stray begins with user_id',
    'keyless has no primary key',
    'stranger: key begins with id',
  ]);
  await store.close();
});
