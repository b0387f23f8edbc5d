import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/kit/clock.ts';
import { connectStore } from '../../../src/service/platform/open.ts';
import { MARKER_TABLE } from '../../../src/service/platform/store/ownership.ts';
import { freshDatabase } from '../../support/postgres/database.ts';
import { ROOT } from '../../support/process/run-svc.ts';
import { tempDir } from '../../support/temp.ts';

const TABLES = {
  sqlite: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  postgres:
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
};
/** Tables that one engine only has. */
const OF_POSTGRES = ['limiter_time', 'admission_head'];

test('docs/operations.md says of every table what keeps it from growing for ever', async () => {
  const store = await connectStore(await freshDatabase(tempDir()), systemClock);
  const rows = await store.read(({ sql }) => sql.all<{ name: string }>(TABLES[sql.dialect.name]));
  const engine = store.dialect.name;
  await store.close();
  const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
  const section = text.split('\n### Every table and its bound\n')[1]!.split('\n## ')[0]!;
  const first = section.split('\n').flatMap((line) => /^\| (`.*?) \|/.exec(line)?.[1] ?? []);
  const said = first.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  expect(said.length).toBe(new Set(said).size);
  const has = rows.map(({ name }) => name).filter((name) => name !== MARKER_TABLE);
  const expected = engine === 'sqlite' ? [...has, ...OF_POSTGRES] : has;
  expect(said.sort()).toEqual([...new Set(expected)].sort());
});
