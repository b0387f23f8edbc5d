/** Parsing of database URLs, without connecting. */

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//i.test(database);
}

/** Identifies a database by host, port and name, independent of user, password and options. */
export function identityOf(database: string): string {
  const url = new URL(database);
  const name = decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username) || 'postgres';
  const host = url.searchParams.get('host') ?? url.hostname;
  return `${host || 'localhost'}:${url.port || url.searchParams.get('port') || 5432}/${name}`;
}
