import type { LearnedModels } from '../decisions/learned-models.ts';
import { findUserId } from '../events/store/find-user-id.ts';
import { eraseFromOutbox } from '../notifications/providers/erase-outbox.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import type { Platform } from '../platform/platform.ts';
import { due } from '../platform/store/due.ts';
import type { Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { type EndingErasure, ERASURE_KEPT_MS, type Erasure, erasures } from './store.ts';

const POLL_MS = 1000;
/** Event numbers, and rows of other tables, that one transaction searches. */
const EVENTS = 20_000;
const ROWS = 2000;
/**
 * When to look a second time, in ms: within this time every node has stored the event counts that it had in memory
 * (event-signals.ts), and any model that it learned before it knew of the erasure.
 */
const AGAIN_MS = 15_000;
/** When an erasure whose files are being cleaned is looked at again, in ms. */
const FILES_MS = 30_000;

/** Erases users: what the request did not find at once, in pieces, and on every node its outbox file. */
export function startEraser(
  platform: WorkerPlatform & Pick<Platform, 'cipher'>,
  models: LearnedModels,
  outboxFile: string,
): Worker {
  const { store, clock, cipher, precedence } = platform;
  /** The erasures up to here have left this node's outbox and models, Unix ms. */
  let cleanedTo = 0;

  /** Cleans the file and the memory of this node after erasures by any node. */
  const cleanNode = async (): Promise<void> => {
    const from = Math.max(cleanedTo, clock.now() - ERASURE_KEPT_MS);
    const found = await store.read(async (tx) => {
      const hashIds: { workspaceId: string; hashId: string }[] = [];
      const all = await workspaces.list(tx);
      const inReach = all.filter(({ id }) => !store.workers?.isUnreachable(id));
      for (const { id } of inReach)
        for (const hashId of await erasures.since(tx, id, from)) hashIds.push({ workspaceId: id, hashId });
      return { hashIds, now: tx.now, complete: inReach.length === all.length };
    });
    for (const { workspaceId, hashId } of found.hashIds) models.forgetUser(workspaceId, hashId);
    if (found.hashIds.length > 0)
      await eraseFromOutbox(outboxFile, new Set(found.hashIds.map(({ hashId }) => hashId)));
    if (!found.complete) behind = true;
    // A transaction that began earlier may commit later.
    else cleanedTo = found.now - AGAIN_MS;
  };

  let stopping = false;
  const erase = async (workspaceId: string): Promise<boolean> => {
    const { found, inFiles } = await store.write(async (tx) => {
      await due.clear(tx, workspaceId, 'erase');
      const found = await erasures.next(tx, cipher, workspaceId);
      if (found) await eraseStep(tx, cipher, workspaceId, found, models);
      const inFiles =
        found?.phase === 'files' ? await erasures.inFiles(tx, workspaceId, tx.now + FILES_MS) : [];
      const next = await erasures.nextDue(tx, workspaceId);
      if (next !== undefined) await due.mark(tx, workspaceId, 'erase', next);
      return { found, inFiles };
    });
    if (inFiles.length > 0) await cleanFiles(workspaceId, inFiles);
    return found !== undefined;
  };
  /** Removes erased users from the files, which ends their erasures. Until then they are due again. */
  const cleanFiles = async (workspaceId: string, inFiles: readonly EndingErasure[]): Promise<void> => {
    await cleanNode();
    const proceed = async () => {
      await precedence.yieldToRequests();
      return !stopping;
    };
    if (!(await store.scrub(proceed))) return;
    for (const erasure of inFiles) await store.write((tx) => erasures.end(tx, workspaceId, erasure));
  };

  /** An erasure by any node that this node has yet to follow; at the start, those while it was stopped. */
  let behind = true;
  const unsubscribe = store.subscribe('erasures', () => {
    behind = true;
  });
  const eraser = worker(platform, {
    name: 'the eraser',
    lane: 'erase',
    topics: ['erasures'],
    pause: POLL_MS,
    before: async () => {
      if (!behind) return;
      behind = false;
      await cleanNode().catch((error) => {
        behind = true;
        throw error;
      });
    },
    work: erase,
  });
  return {
    ...eraser,
    stop: () => {
      stopping = true;
      unsubscribe();
      return eraser.stop();
    },
  };
}

/** Runs one step of an erasure, and says when the next one is due. */
async function eraseStep(
  tx: Tx,
  cipher: Cipher,
  workspaceId: string,
  erasure: Erasure,
  models: LearnedModels,
): Promise<void> {
  const { hashId, after, afterId, upTo } = erasure;
  if (erasure.phase === 'files') return;
  const proceed = (to: Partial<Pick<Erasure, 'phase' | 'after' | 'afterId'>>, wait = 0) =>
    erasures.proceed(tx, workspaceId, erasure, { phase: 'scan', after, afterId, ...to }, tx.now + wait);
  if (erasure.phase === 'find') {
    const { userId, next } = await findUserId(tx, workspaceId, hashId, afterId, upTo);
    if (userId !== undefined) return erasures.found(tx, cipher, workspaceId, hashId, userId);
    return proceed(next === undefined ? { afterId: '' } : { phase: 'find', afterId: next });
  }
  if (erasure.phase === 'again') {
    await erasures.forget(tx, workspaceId, erasure);
    await models.forgetStored(tx, workspaceId, hashId);
    // Those that are due earlier come first, so that the files are cleaned once for all.
    return proceed({ phase: 'files' });
  }
  if (after < upTo) return proceed({ after: await erasures.scanEvents(tx, workspaceId, erasure, EVENTS) });
  // The place begins with its table, and with the first one before the search.
  const [table, place = ''] = afterId.split(/:(.*)/s);
  if (table !== 'answer') {
    const last = await erasures.scanDeliveries(tx, workspaceId, hashId, place, ROWS);
    return proceed({ afterId: last === undefined ? 'answer:' : `delivery:${last}` });
  }
  const last = await erasures.scanAnswers(tx, workspaceId, erasure, place, ROWS);
  if (last !== undefined) return proceed({ afterId: `answer:${last}` });
  await models.forgetStored(tx, workspaceId, hashId);
  // The place of the search is an idempotency key, which may name a user.
  return proceed({ phase: 'again', afterId: '' }, AGAIN_MS);
}
