/** A statement as PostgreSQL wants it: `$1` for `?`, and a name under which a connection prepares it once. */
export interface Statement {
  readonly name: string | undefined;
  readonly text: string;
}

/** Statements are few and fixed; what is made at run time beyond this many is not prepared by name. */
const MOST_NAMED = 500;

const known = new Map<string, Statement>();

/** Rewrites the placeholders of a statement, once per text. A `?` inside quotes is left alone. */
export function statementOf(sql: string): Statement {
  let statement = known.get(sql);
  if (!statement) {
    const named = known.size < MOST_NAMED;
    statement = { name: named ? `svc_${known.size}` : undefined, text: numbered(sql) };
    if (named) known.set(sql, statement);
  }
  return statement;
}

function numbered(sql: string): string {
  let n = 0;
  return sql.replace(/'[^']*'|"[^"]*"|\?/g, (part) => (part === '?' ? `$${++n}` : part));
}
