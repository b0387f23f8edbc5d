import type { PoolClient, QueryResult } from 'pg';
import { StoreUnavailable, type Topic, type Tx } from '../store.ts';
import { OFFSET } from '../test-clock.ts';
import type { Connections } from './connections.ts';
import { isBroken, translate } from './errors.ts';
import type { InFlight } from './in-flight.ts';
import { collectWrites, send } from './send.ts';
import { NOW, QUERY_TIMEOUT_MS } from './settings.ts';
import { locksOf, PostgresSql } from './transaction.ts';

const WRITING = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
const BEGIN = {
  durable: WRITING,
  lazy: `${WRITING}; SET LOCAL synchronous_commit = off`,
  read: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
};
const TIME = `SELECT ${NOW} AS now, 0 AS moved`;
/** The time where the store has a test clock, which others need not read. */
const MOVED_TIME = `SELECT ${NOW} + moved AS now, moved FROM (SELECT coalesce((${OFFSET})::bigint, 0) AS moved) AS clock`;

/** `lazy` does not wait until the commit is durable. */
export type Kind = keyof typeof BEGIN;

interface Parts {
  readonly connections: Connections;
  /** The name of the database in errors. */
  readonly where: string;
  /** Given where the database is distributed. */
  readonly inFlight: InFlight | undefined;
  /** The store has a test clock. */
  readonly testClock: boolean;
}

/**
 * Runs `work` in a transaction. Resolves to its value, the topics to notify of and the offset of the test clock. With `pipelinedBegin`, `work` starts before
 * the transaction has begun (WriteOptions), and a connection that turns out to be dead is not replaced: rejects with NotBegun.
 */
export async function runTransaction<T>(
  parts: Parts,
  kind: Kind,
  work: (tx: Tx) => Promise<T>,
  pipelinedBegin = false,
): Promise<{ value: T; topics: ReadonlySet<Topic>; clockOffset: number }> {
  const { connections, where, inFlight } = parts;
  const time = parts.testClock ? MOVED_TIME : TIME;
  // Citus repeats the whole message of a SET LOCAL on its workers, which do not have the test clock.
  const alone = parts.testClock && kind === 'lazy' && inFlight !== undefined;
  const text = alone ? BEGIN[kind] : `${BEGIN[kind]}; ${time}`;
  let now: number | undefined;
  let clockOffset = 0;
  const takeNow = (result: QueryResult) => {
    const [row] = [result].flat().at(-1)!.rows as { now: number; moved: number }[];
    now = row!.now;
    clockOffset = row!.moved;
  };
  let client: PoolClient;
  let begun: Promise<void> | undefined;
  if (pipelinedBegin) {
    client = await connections.take();
    collectWrites(client);
    const started = connections.begin(client, text);
    const timed = alone ? send(client, { text: time }, QUERY_TIMEOUT_MS) : started;
    begun = Promise.all([started, timed]).then(([, result]) => takeNow(result));
    begun.catch(() => {});
  } else {
    const { client: ready, result } = await connections.begun(text);
    client = ready;
    takeNow(alone ? await timeOf(client, time, where) : result);
  }
  const topics = new Set<Topic>();
  const unread: Promise<unknown>[] = [];
  const sql = new PostgresSql(client, where, QUERY_TIMEOUT_MS, inFlight);
  const tx: Tx = {
    sql,
    get now() {
      if (now === undefined)
        throw new Error('the time of a pipelinedBegin transaction is read before it began');
      return now;
    },
    ...locksOf(sql),
    notify: async (topic) => void topics.add(topic),
    deferUntilCommit: (statements) => {
      const failed = Promise.allSettled(statements).then(rejectFirst);
      // The commit reads it, which may be after it has failed: a rejection that nobody handles ends the process.
      failed.catch(() => {});
      unread.push(failed);
    },
  };
  let broken = false;
  let ended: Promise<unknown> | undefined;
  try {
    const value = await work(tx);
    await begun;
    // The end of a read has no result to wait for. The next transaction of the connection comes after it.
    if (kind === 'read') ended = sql.end('COMMIT').catch(() => {});
    else await commit(client, sql, where, unread);
    return { value, topics, clockOffset };
  } catch (error) {
    // What failed first explains the other failures.
    const first = await Promise.all([begun, ...unread]).then(
      () => error,
      (earlier) => earlier,
    );
    broken = first instanceof StoreUnavailable && isBroken(first.cause);
    if (!broken)
      await sql.end('ROLLBACK').catch(() => {
        broken = true;
      });
    throw first;
  } finally {
    // On a distributed database a worker may be silent at the end of a read, which the next transaction must not wait for.
    if (ended && inFlight) void ended.then(() => client.release());
    else client.release(broken);
  }
}

/** Reads the time in a transaction that has begun. */
async function timeOf(client: PoolClient, text: string, where: string): Promise<QueryResult> {
  try {
    return await send(client, { text }, QUERY_TIMEOUT_MS);
  } catch (error) {
    client.release(true);
    throw translate(error, where);
  }
}

/** Commits, behind the statements that nobody has awaited. */
async function commit(
  client: PoolClient,
  sql: PostgresSql,
  where: string,
  unread: readonly Promise<unknown>[],
): Promise<void> {
  let warning: { code?: string | undefined; message?: string | undefined } | undefined;
  const onNotice = (notice: NonNullable<typeof warning>) => {
    if (notice.code !== '00000') warning = notice;
  };
  client.on('notice', onNotice);
  const { command } = await sql
    .end('COMMIT')
    .catch((error) => {
      throw translate(error, where);
    })
    .finally(() => client.off('notice', onNotice));
  // A commit that is cancelled while it waits for its standby (statement_timeout) succeeds with a warning, and so does
  // one of a coordinator of Citus that has lost the worker and cannot say whether it has committed.
  if (warning) throw new StoreUnavailable(`${where}: ${warning.message}`, warning);
  await Promise.all(unread);
  // After a failed statement PostgreSQL answers COMMIT with ROLLBACK and without an error.
  if (command !== 'COMMIT')
    throw new Error('a statement of this transaction failed, and its error was swallowed');
}

function rejectFirst(results: readonly PromiseSettledResult<unknown>[]): void {
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}
