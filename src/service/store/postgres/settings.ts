import pg, { type ClientConfig } from 'pg';

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
    ...LIMITS,
  };
}
