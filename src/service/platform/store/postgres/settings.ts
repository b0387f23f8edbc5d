import pg, { type ClientBase, type ClientConfig } from 'pg';

/** Database time as unix milliseconds. */
export const NOW = 'floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';

/** Timeout for a connection, whether new or from the pool. */
const CONNECT_TIMEOUT_MS = 5_000;

/** Sent to the server with each new connection. They bound how long a lock can be held. */
const LIMITS = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 20_000,
};

/**
 * Timeout for the answer to a statement. The server cancels earlier; this covers a server that disappeared without
 * closing its connections.
 */
export const QUERY_TIMEOUT_MS = LIMITS.statement_timeout + 5_000;

/** Timeout for the statements of a migration, which may rewrite a large table. */
export const MIGRATION_TIMEOUT_MS = 24 * 3600 * 1000;

/** Session settings that the statements require, independent of the defaults of the server, database or role. */
const SESSION = {
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  idle_session_timeout: '0',
  transaction_timeout: '0',
  standard_conforming_strings: 'on',
  extra_float_digits: '1',
  // Every index begins with the workspace. Without statistics the server would read any of them and sort what it reads.
  enable_incremental_sort: 'off',
  // Timeouts and durability of one transaction hold on the workers of Citus too.
  'citus.propagate_set_commands': 'local',
  // The warning about a commit that was not replicated is treated as an error (store.ts).
  client_min_messages: 'warning',
};

/** Skips settings that an older server does not have. Without synchronous_commit, a 2xx answer would not be durable. */
const SET_SESSION = `SELECT count(set_config(s.name, w.value, false)) FROM pg_settings s
  JOIN (VALUES ${Object.entries({ ...SESSION, synchronous_commit: 'on' })
    .map(([name, value]) => `('${name}', '${value}')`)
    .join(', ')}) AS w(name, value) ON s.name = w.name
  WHERE s.name <> 'synchronous_commit' OR s.setting = 'off'`;

/** Applies the session settings to a new connection. */
export async function prepareSession(client: ClientBase): Promise<void> {
  await client.query(SET_SESSION);
}

/** Numbers that pg would return as text: bigint, and sums of bigint. */
const AS_TEXT = [20, 1700];
const types: NonNullable<ClientConfig['types']> = {
  // Counts, sequence numbers and times stay below 2^53.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    AS_TEXT.includes(oid)
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
};

/**
 * The configuration of every connection. The URL has precedence over PGHOST, PGUSER, PGPASSWORD and similar variables,
 * which supply what it omits. TCP keep-alive detects a dead peer.
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
