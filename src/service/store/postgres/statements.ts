/** A statement in PostgreSQL's form: `$1` for `?`, and the name of the prepared statement. */
export interface Statement {
  readonly name: string | undefined;
  readonly text: string;
}

/** Maximum number of prepared statements. Statements are few and fixed; the limit guards against generated ones. */
const MOST_NAMED = 500;

const cache = new Map<string, Statement>();

/** Rewrites the placeholders of a statement, once per text. A `?` inside quotes is kept. */
export function statementOf(sql: string): Statement {
  let statement = cache.get(sql);
  if (!statement) {
    const named = cache.size < MOST_NAMED;
    statement = { name: named ? `svc_${cache.size}` : undefined, text: numbered(sql) };
    if (named) cache.set(sql, statement);
  }
  return statement;
}

function numbered(sql: string): string {
  let n = 0;
  return sql.replace(/'[^']*'|"[^"]*"|\?/g, (part) => (part === '?' ? `$${++n}` : part));
}
