import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { GLOBAL_TABLES } from '../../src/service/platform/store/global-tables.ts';
import { ROOT } from '../support/process/run-svc.ts';

const SERVICE = join(ROOT, 'src/service');
/** They change the schema, read the catalogs of the engines, or add to statements of others. */
const ON_SCHEMA =
  /store\/(schema|migrate\.ts|(pages|rows)\.ts|(sqlite|postgres)\/(migrate|move|ownership|partitions|drop-partition|workers)\.ts)/;
/** The looks across workspaces: for those with due work, and for the time of the next. */
const LOOK =
  /^WITH marks AS MATERIALIZED \(SELECT workspace_id FROM due WHERE lane = \? AND due_at <= §\)|^SELECT due_at AS at FROM due WHERE lane = \?/;

type Node = { readonly type: string } & Record<string, unknown>;

/** The statements in a source file: its strings and templates with SQL, a substitution as `§`. */
function statementsOf(source: string): string[] {
  const found: string[] = [];
  const add = (text: string, page: boolean) =>
    // The `from` of a page (pages.ts) lacks its first word.
    found.push((page ? `FROM ${text}` : text).replace(/\s+/g, ' '));
  const visit = (value: unknown, page: boolean): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, false);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const node = value as Node;
    if (node.type === 'Literal' && typeof node.value === 'string') add(node.value, page);
    if (node.type === 'TemplateLiteral')
      add((node.quasis as { value: { cooked: string } }[]).map((part) => part.value.cooked).join('§'), page);
    const ofPage = node.type === 'Property' && (node.key as { name?: string }).name === 'from';
    for (const [key, child] of Object.entries(node)) visit(child, ofPage && key === 'value');
  };
  visit(parseAst(source, { lang: 'ts' }), false);
  return found.filter((text) => /\b(FROM|INTO|UPDATE|JOIN) [a-z§]/.test(text));
}

/** The tables of a statement that are not bound to a workspace. */
function unbound(sql: string): string[] {
  if (LOOK.test(sql)) return [];
  const named = [...sql.matchAll(/\b(\w+) AS (?:MATERIALIZED )?\(/g)].map(([, name]) => name!);
  const skipped = [
    ...GLOBAL_TABLES,
    ...named,
    'pg_settings',
    'pg_stat_activity',
    'pg_stat_user_tables',
    'pg_class',
    'unnest',
    'json_each',
    'pragma_page_count',
    'sqlite_master',
    'sqlite_dbpage',
    'clock_timestamp',
    'svc_count_request',
  ];
  const tables = [
    ...sql.matchAll(
      /\b(?:FROM|INTO|(?<!DO )(?<!FOR )UPDATE|JOIN|,) ([a-z_]+|§)(?: (?:AS )?([a-z])\b(?!\w))?/g,
    ),
  ]
    .filter(([match]) => !match.startsWith(','))
    .map(([, table, alias]) => ({ table: table!, alias }))
    .filter(({ table }) => !skipped.includes(table));
  // `=`, `IN`, a comparison of rows, or the columns of an insert.
  const bound = (prefix: string) =>
    [
      ...sql.matchAll(
        new RegExp(
          `(?<![\\w.])${prefix}workspace_id (?:=|IN )|\\(${prefix}workspace_id[\\w§, ]*\\) (?:[=<>]|IN|VALUES|SELECT)|INTO [a-z_]+ \\((?:seq, )?workspace_id`,
          'g',
        ),
      ),
    ].length;
  const aliased = tables.filter(({ alias }) => alias !== undefined && bound(`${alias}\\.`) === 0);
  const plain = tables.filter(({ alias }) => alias === undefined);
  return [
    ...aliased.map(({ table }) => table),
    ...(plain.length > bound('') ? plain.map(({ table }) => table) : []),
  ];
}

const statements = readdirSync(SERVICE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !ON_SCHEMA.test(file))
  .flatMap((file) => statementsOf(readFileSync(join(SERVICE, file), 'utf8')).map((sql) => ({ file, sql })));

// A plan of PostgreSQL may run a subquery again for each row: it then skips the rows that it has locked, and takes others.
test('rows that are locked up to a limit are chosen once, in a materialized query', () => {
  const again = /IN \(SELECT [^()]* LIMIT \? §\)/;
  expect(again.test('DELETE FROM t WHERE (a, b) IN (SELECT a, b FROM t WHERE c < ? LIMIT ? §)')).toBe(true);
  expect(statements.filter(({ sql }) => again.test(sql))).toEqual([]);
  expect(statements.filter(({ sql }) => sql.startsWith('WITH taken AS MATERIALIZED')).length).toBeGreaterThan(
    3,
  );
});

test('every statement on a table of workspaces names the workspace', () => {
  expect(statements.length).toBeGreaterThan(80);
  expect(statements.filter(({ sql }) => unbound(sql).length > 0)).toEqual([]);
});

test.each([
  ['SELECT 1 FROM event WHERE number = ?', ['event']],
  ['SELECT workspace_id AS "workspaceId", seq FROM decision WHERE reward IS NULL', ['decision']],
  [
    'DELETE FROM delivery WHERE delivery_id IN (SELECT delivery_id FROM delivery WHERE workspace_id = ?)',
    ['delivery', 'delivery'],
  ],
  ['UPDATE webhook SET status = ? WHERE webhook_id = ?', ['webhook']],
  [
    'SELECT 1 FROM delivery d JOIN webhook w ON w.webhook_id = d.webhook_id WHERE d.workspace_id = ?',
    ['webhook'],
  ],
  ['INSERT INTO dropped_webhook (webhook_id) VALUES (?)', ['dropped_webhook']],
])('finds the table without a workspace: %s', (sql, tables) => {
  expect(unbound(sql)).toEqual(tables);
});
