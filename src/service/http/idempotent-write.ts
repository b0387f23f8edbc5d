import { createHash } from 'node:crypto';
import { ServiceError } from '../../contract/errors.ts';
import { idempotency } from '../platform/store/idempotency.ts';
import type { ConcurrencyKey, Store, Tx } from '../platform/store/store.ts';

/** A response as it is sent and stored: status and JSON text, null for no body. */
export interface Answer {
  readonly status: number;
  readonly body: string | null;
}

/** What a request did in its transaction. */
interface Work {
  readonly answer: Answer;
  /** It is an error, which the idempotency key does not keep. */
  readonly refused: boolean;
  /** What is left to do before the commit (Reply). */
  readonly beforeCommit: (() => Promise<void>) | undefined;
  readonly afterCommit: (() => void) | undefined;
}

/** A request that writes, as far as it decides whether another one is a repetition of it. */
export interface WriteRequest {
  readonly workspaceId: string;
  readonly endpoint: string;
  readonly path: string;
  readonly body: Buffer;
  /** The only user for whom the request may act, who has idempotency keys of their own. */
  readonly onlyUser: string | undefined;
  /** The Idempotency-Key header. */
  readonly idempotencyKey: string | undefined;
  /** Other writes pass it (WriteOptions). */
  readonly bulk: boolean;
  /** Its first statements come with the begin of the transaction (WriteOptions). */
  readonly pipelinedBegin: boolean;
  readonly concurrencyKeys: readonly ConcurrencyKey[];
}

/**
 * Runs a request that writes at most once per idempotency key (docs/design-choices.md, "Idempotency").
 * Returns the stored answer with `replayed: true` for a repeated request. Throws invalid_request for a malformed key
 * and conflict for a key that was used with another request.
 */
export async function writeOnce(
  store: Store,
  request: WriteRequest,
  work: (tx: Tx) => Promise<Work>,
): Promise<{ answer: Answer; replayed: boolean }> {
  const { workspaceId, onlyUser, idempotencyKey, concurrencyKeys, bulk, pipelinedBegin } = request;
  let afterCommit: Work['afterCommit'];
  const answerOnce = async (tx: Tx, keep: (answer: Answer) => Promise<void>) => {
    const done = await work(tx);
    if (!done.refused) await keep(done.answer);
    await done.beforeCommit?.();
    afterCommit = done.afterCommit;
    return { answer: done.answer, replayed: false };
  };
  const written = async (writing: Promise<{ answer: Answer; replayed: boolean }>) => {
    const result = await writing;
    if (!result.replayed) afterCommit?.();
    return result;
  };
  if (idempotencyKey === undefined)
    return written(
      store.write((tx) => answerOnce(tx, async () => {}), { concurrencyKeys, bulk, pipelinedBegin }),
    );
  if (!/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw new ServiceError('invalid_request', undefined, [
      { field: 'Idempotency-Key', message: 'must be 1 to 255 printable ASCII characters without spaces' },
    ]);
  }
  // The space is in no key, so nobody can name a key of somebody else.
  const key = onlyUser === undefined ? idempotencyKey : `${onlyUser} ${idempotencyKey}`;
  const digest = digestOf(request);
  const attempt = () =>
    store.write(
      async (tx) => {
        const stored = await idempotency.find(tx, workspaceId, key);
        if (stored && stored.digest !== digest) throw new ServiceError('conflict');
        if (stored) return { answer: stored, replayed: true };
        return answerOnce(tx, async (answer) => {
          if (!(await idempotency.keep(tx, workspaceId, key, { digest, ...answer })))
            throw new AnsweredConcurrently();
        });
      },
      { concurrencyKeys, bulk },
    );
  try {
    return await written(attempt());
  } catch (error) {
    if (!(error instanceof AnsweredConcurrently)) throw error;
    // `keep` waited for the other node's commit, so the second attempt finds its answer.
    return written(attempt());
  }
}

/** Another node answered the same idempotency key first: rolls this transaction back. */
class AnsweredConcurrently extends Error {}

function digestOf({ endpoint, path, body }: WriteRequest): string {
  return createHash('sha256').update(`${endpoint} ${path}\n`).update(body).digest('hex');
}
