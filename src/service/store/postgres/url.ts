/** What can be told from a database's URL without connecting to it. */

export function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//i.test(database);
}

/** Names the database whatever user, password or option it is opened with: host, port and database. */
export function identityOf(database: string): string {
  const url = new URL(database);
  const name = decodeURIComponent(url.pathname.slice(1)) || decodeURIComponent(url.username) || 'postgres';
  const host = url.searchParams.get('host') ?? url.hostname;
  return `${host || 'localhost'}:${url.port || url.searchParams.get('port') || 5432}/${name}`;
}
