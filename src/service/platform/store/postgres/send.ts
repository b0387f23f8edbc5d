import type { Duplex } from 'node:stream';
import pg, { type ClientBase, type QueryResult } from 'pg';
import type { SqlValue } from '../store.ts';

/** A connection of the driver, whose type does not declare its stream. */
export type Client = ClientBase & { readonly connection?: { readonly stream: Duplex } };

const collecting = new WeakSet<Client>();

/**
 * Sends what a connection is given until this run of the event loop's microtasks ends in one write: statements that are
 * issued together (pipeline.ts), and the BEGIN and COMMIT around them.
 */
export function collectWrites(client: Client): void {
  if (collecting.has(client)) return;
  collecting.add(client);
  const stream = client.connection?.stream;
  stream?.cork();
  const send = () => {
    collecting.delete(client);
    stream?.uncork();
  };
  // Ticks run when no microtask is left.
  queueMicrotask(() => process.nextTick(send));
}

export interface Statement {
  readonly text: string;
  /** Of the prepared statement. */
  readonly name?: string | undefined;
  readonly values?: readonly SqlValue[];
}

/**
 * Runs a statement. The driver would copy its description property by property, which costs as much as sending it, so
 * it gets a query of its own class. Rejects with the driver's error, also `timeoutMs` after it was sent.
 */
export function send(client: Client, statement: Statement, timeoutMs: number): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query(statement.text, statement.values as SqlValue[] | undefined);
    const callback = (error: Error | null | undefined, result: QueryResult) =>
      error ? reject(error) : resolve(result);
    Object.assign(query, { name: statement.name, query_timeout: timeoutMs, callback });
    client.query(query);
  });
}
