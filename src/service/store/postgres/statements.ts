/** A statement in PostgreSQL's form: `$1` for `?`, and the name of the prepared statement. */
export interface Statement {
  readonly name: string | undefined;
  readonly text: string;
}

/** Maximum number of prepared statements. Statements are few and fixed; the limit guards against generated ones. */
const MOST_NAMED = 500;

/** Changes of the schema, and statements on partitions, which come and go. */
const PASSING = /^(?:CREATE|ALTER|DROP|LOCK|SET) |_\d{10,}\b/;

const cache = new Map<string, Statement>();

/** Rewrites the placeholders of a statement, once per text. A `?` inside quotes is kept. */
export function statementOf(sql: string): Statement {
  let statement = cache.get(sql);
  if (!statement) {
    const named = cache.size < MOST_NAMED && !PASSING.test(sql);
    statement = { name: named ? `svc_${cache.size}` : undefined, text: numbered(sql) };
    if (named) cache.set(sql, statement);
  }
  return statement;
}

function numbered(sql: string): string {
  let n = 0;
  return sql.replace(/'[^']*'|"[^"]*"|\?/g, (part) => (part === '?' ? `$${++n}` : part));
}
