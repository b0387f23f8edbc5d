import type { QueryResult } from 'pg';
import type { Dialect, Sql, SqlValue, Tx } from '../store.ts';
import { translate } from './errors.ts';
import type { InFlight } from './in-flight.ts';
import { type Client, collectWrites, send, sendCopy } from './send.ts';
import { statementOf } from './statements.ts';

export const postgresDialect: Dialect = {
  name: 'postgres',
  blob: 'BYTEA',
  bigint: 'BIGINT',
  withoutRowid: '',
  forUpdate: 'FOR UPDATE',
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  forKeyShare: 'FOR KEY SHARE',
  distributed: false,
};

export const citusDialect: Dialect = { ...postgresDialect, distributed: true };

/** Runs the statements of one transaction on its connection. Rejects with the errors of the store. */
export class PostgresSql implements Sql {
  readonly dialect: Dialect;
  readonly #client: Client;
  readonly #where: string;
  readonly #timeoutMs: number;
  readonly #inFlight: InFlight | undefined;
  #ended = false;
  #workspaceId: string | undefined;

  /**
   * `where` names the database in errors; `timeoutMs` is the timeout of a statement (QUERY_TIMEOUT_MS). `inFlight` is
   * given where the database is distributed.
   */
  constructor(client: Client, where: string, timeoutMs: number, inFlight?: InFlight) {
    this.dialect = inFlight ? citusDialect : postgresDialect;
    this.#inFlight = inFlight;
    this.#client = client;
    this.#where = where;
    this.#timeoutMs = timeoutMs;
  }

  async all<T>(sql: string, params: readonly SqlValue[] = []): Promise<T[]> {
    return (await this.#query(sql, params)).rows as T[];
  }

  async get<T>(sql: string, params: readonly SqlValue[] = []): Promise<T | undefined> {
    return (await this.#query(sql, params)).rows[0] as T | undefined;
  }

  async run(sql: string, params: readonly SqlValue[] = []): Promise<number> {
    return (await this.#query(sql, params)).rowCount ?? 0;
  }

  async load(table: string, columns: readonly string[], workspaceId: string, lines: string): Promise<void> {
    this.#workspaceId = workspaceId;
    const text = `COPY ${table} (${columns.join(', ')}) FROM STDIN`;
    await this.#run(true, () => sendCopy(this.#client, text, Buffer.from(lines), this.#timeoutMs));
  }

  async #query(sql: string, params: readonly SqlValue[]) {
    const { name, text, onWorkers, workspace } = statementOf(sql, this.dialect.distributed);
    if (workspace !== undefined) this.#workspaceId = String(params[workspace]);
    return this.#run(onWorkers, () => send(this.#client, { name, text, values: params }, this.#timeoutMs));
  }

  async #run(onWorkers: boolean, sent: () => Promise<QueryResult>): Promise<QueryResult> {
    if (this.#ended) throw new Error('a statement comes after the end of its transaction');
    collectWrites(this.#client);
    try {
      if (!this.#inFlight || !onWorkers) return await sent();
      return await this.#inFlight.send(this.#client, this.#workspaceId, sent);
    } catch (error) {
      throw translate(error, this.#where);
    }
  }

  /**
   * Ends the transaction, and refuses further statements, which would be stored without it. Rejects with an error of the
   * driver.
   */
  end(statement: 'COMMIT' | 'ROLLBACK'): Promise<QueryResult> {
    this.#ended = true;
    const send = () => this.#client.query(statement);
    return this.#inFlight?.send(this.#client, this.#workspaceId, send) ?? send();
  }
}

/** The named locks of a transaction. */
export function locksOf(sql: Sql): Pick<Tx, 'lock' | 'tryLock'> {
  return {
    lock: async (name) =>
      void (await sql.run('SELECT pg_advisory_xact_lock(hashtextextended(?, 0))', [name])),
    tryLock: async (name) => {
      const row = await sql.get<{ won: boolean }>(
        'SELECT pg_try_advisory_xact_lock(hashtextextended(?, 0)) AS won',
        [name],
      );
      return row!.won;
    },
  };
}
