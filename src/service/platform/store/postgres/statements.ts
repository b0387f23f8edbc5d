import { GLOBAL_TABLES } from '../global-tables.ts';

/** A statement in PostgreSQL's form: `$1` for `?`, and the name of the prepared statement. */
export interface Statement {
  readonly name: string | undefined;
  readonly text: string;
  /** True if it needs workers of a distributed database. */
  readonly onWorkers: boolean;
  /** Of those, the index of the parameter that names the workspace whose rows it concerns, where that is to be seen. */
  readonly workspace: number | undefined;
}

/** Maximum number of prepared statements. Statements are few and fixed; the limit guards against generated ones. */
const MAX_NAMED = 500;

/** Changes of the schema, and statements on partitions, which come and go. */
const PASSING = /^(?:CREATE|ALTER|DROP|LOCK|SET) |_\d{10,}\b/;

/** The tables of a distributed database that are on its coordinator (migrations/027-distribution.ts). */
const ON_COORDINATOR = new Set([...GLOBAL_TABLES, 'catalog_version']);

const cache = new Map<string, Statement>();
const cacheOnCitus = new Map<string, Statement>();

/**
 * Rewrites the placeholders of a statement, once per text. A `?` inside quotes is kept. For a distributed database every
 * table of the statement is bound to its workspace.
 */
export function statementOf(sql: string, distributed = false): Statement {
  const known = distributed ? cacheOnCitus : cache;
  let statement = known.get(sql);
  if (!statement) {
    const named = known.size < MAX_NAMED && !PASSING.test(sql);
    const text = distributed ? bound(numbered(sql)) : numbered(sql);
    const onWorkers = distributed && needsWorkers(text);
    const workspace = onWorkers ? workspaceIn(text) : undefined;
    statement = { name: named ? `svc_${known.size}` : undefined, text, onWorkers, workspace };
    if (named) known.set(sql, statement);
  }
  return statement;
}

/**
 * Names the workspace of a statement for each of its tables, where it compares rows or the workspaces of two tables:
 * Citus passes a statement on to one worker only if it sees at once that no other one is concerned. On one server the
 * conditions would be of no use, and lead to plans that read a whole workspace.
 */
function bound(text: string): string {
  const workspace = /\bworkspace_id = (\$\d+)|\(workspace_id, [^()]*\) >= \((\$\d+)/.exec(text);
  const number = workspace?.[1] ?? workspace?.[2];
  if (number === undefined) return text;
  return text
    .replace(/(?<=\bWHERE )(?=\(workspace_id, [^()]*\) (?:IN|>=))/g, () => `workspace_id = ${number} AND `)
    .replace(
      /\b(\w+)\.workspace_id = \w+\.workspace_id\b/g,
      (both, table) => `${both} AND ${table}.workspace_id = ${number}`,
    );
}

const needsWorkers = (text: string) =>
  [...text.matchAll(/\b(?:FROM|INTO|UPDATE|JOIN) (\w+)/g)].some(([, table]) => !ON_COORDINATOR.has(table!));

/** The index of the parameter with the workspace whose rows are concerned; undefined if that is not to be seen. */
function workspaceIn(text: string): number | undefined {
  const found =
    /\bworkspace_id = \$(\d+)|\(workspace_id, [^()]*\) >= \(\$(\d+)|INTO \w+ \(workspace_id\b[^()]*\)\s+VALUES \(\$(\d+)/.exec(
      text,
    );
  const number = found?.slice(1).find((each) => each !== undefined);
  return number === undefined ? undefined : Number(number) - 1;
}

function numbered(sql: string): string {
  let n = 0;
  return sql.replace(/'[^']*'|"[^"]*"|\?/g, (part) => (part === '?' ? `$${++n}` : part));
}
