import pg, { type ClientBase, type ClientConfig } from 'pg';

/** Database time as unix milliseconds. */
export const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** How long to wait for a connection, a new one or one of the pool. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Sent to the server with each new connection: nothing of ours may hold a lock for longer than these. */
const LIMITS = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 20_000,
};

/**
 * How long a node waits for the answer to a statement. The server gives up earlier; this ends the wait for a server
 * that vanished without closing its connections.
 */
export const QUERY_TIMEOUT_MS = LIMITS.statement_timeout + 5_000;

/** The same for a change of the schema, which may rewrite a large table. */
export const MIGRATION_TIMEOUT_MS = 24 * 3600 * 1000;

/** What statements rest on, whatever the server, the database or the role has as its default. */
const SESSION = {
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  standard_conforming_strings: 'on',
  extra_float_digits: '1',
  // The warning of a commit that was not replicated is an error here (store.ts).
  client_min_messages: 'warning',
};

/** Settings that a server is too old to know are passed over. Without synchronous_commit a 2xx would not be on the disk. */
const SET_SESSION = `SELECT count(set_config(s.name, w.value, false)) FROM pg_settings s
  JOIN (VALUES ${Object.entries({ ...SESSION, synchronous_commit: 'on' })
    .map(([name, value]) => `('${name}', '${value}')`)
    .join(', ')}) AS w(name, value) ON s.name = w.name
  WHERE s.name <> 'synchronous_commit' OR s.setting = 'off'`;

/** Prepares a new connection: its settings become those that this program's statements were written for. */
export async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(SET_SESSION);
}

const INT8 = 20;
const types: NonNullable<ClientConfig['types']> = {
  // Counts, sequence numbers and times stay far below 2^53.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/**
 * How every connection is made. The URL wins over PGHOST, PGUSER, PGPASSWORD and their like, which fill what it
 * leaves out. A dead peer is noticed by TCP keep-alive.
 */
export function connectionSettings(url: string): ClientConfig {
  return {
    connectionString: url,
    application_name: 'svc',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
    query_timeout: QUERY_TIMEOUT_MS,
    ...LIMITS,
  };
}
