import type { Duplex } from 'node:stream';
import pg, { type ClientBase, type QueryResult } from 'pg';
import type { SqlValue } from '../store.ts';

/** A connection of the driver, whose type does not declare its stream. */
export type Client = ClientBase & { readonly connection?: { readonly stream: Duplex } };

/** The longest time that a timer takes: the driver's own is never due. */
const NEVER_MS = 2 ** 31 - 1;

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
  const query = new pg.Query(statement.text, statement.values as SqlValue[] | undefined);
  return run(client, query, statement.name, timeoutMs);
}

function run(client: Client, query: pg.Query, name: string | undefined, timeoutMs: number) {
  return new Promise<QueryResult>((resolve, reject) => {
    let answered = false;
    // What came while this process was busy, or suspended, for longer than the timeout is read before the connection is given up.
    const giveUp = () => {
      if (!answered) client.connection?.stream.destroy(new Error(`no answer within ${timeoutMs} ms`));
    };
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
    const callback = (error: Error | null | undefined, result: QueryResult) => {
      answered = true;
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(result);
    };
    Object.assign(query, { name, query_timeout: NEVER_MS, callback });
    client.query(query);
  });
}

/** What the driver's connection, whose type does not declare it, offers for COPY (PostgreSQL manual, 55.2.6). */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/**
 * A statement and the data that it reads. They are sent at once: where the statement fails, the server ignores the data
 * (PostgreSQL manual, 55.2.6).
 */
class CopyQuery extends pg.Query {
  readonly #data: Buffer;

  constructor(text: string, data: Buffer) {
    super(text);
    this.#data = data;
  }

  override submit = (connection: pg.Connection): void => {
    pg.Query.prototype.submit.call(this, connection);
    const { sendCopyFromChunk, endCopyFrom } = connection as unknown as CopyConnection;
    sendCopyFromChunk.call(connection, this.#data);
    endCopyFrom.call(connection);
  };

  handleCopyInResponse(): void {}
}

/** Runs a COPY … FROM STDIN over this data. Rejects as `send` does. */
export function sendCopy(
  client: Client,
  text: string,
  data: Buffer,
  timeoutMs: number,
): Promise<QueryResult> {
  return run(client, new CopyQuery(text, data), undefined, timeoutMs);
}
