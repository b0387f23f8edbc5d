import { fold } from '../domain/decide/learning.ts';
import { emptyModel, type Model } from '../domain/decide/model.ts';
import { parseModel, serialiseModel } from '../domain/decide/snapshot.ts';
import type { ServiceDeps } from '../runtime/deps.ts';
import { type ModelHead, models } from '../store/repositories/models.ts';
import { rewards } from '../store/repositories/rewards.ts';
import type { Tx } from '../store/store.ts';
import { repeat, type Worker } from './worker.ts';

/** Entries of the reward log per snapshot: a few milliseconds of work. */
const CHUNK = 500;
/** Poll interval. Another process may have written to the log. */
const PAUSE_MS = 5_000;
/** Minimum time between two snapshots, so that a stream of outcomes does not create one each. */
const GATHER_MS = 200;

/**
 * Folds the reward log into model snapshots. One node on a database leads; the lock on the model's head serializes nodes
 * while the leadership changes. A fold depends only on the log, so the result is the same on every node.
 */
export function startLearner(deps: ServiceDeps): Worker {
  const { store, clock, log } = deps;
  let lastFold = Number.NEGATIVE_INFINITY;
  const worker = repeat('the learner', clock, log, PAUSE_MS, async () => {
    if (!(await store.leads('learner'))) return false;
    const behind = await store.read((tx) => models.behind(tx));
    const since = clock.now() - lastFold;
    if (behind.length > 0 && since >= 0 && since < GATHER_MS) await clock.sleep(GATHER_MS - since);
    let more = false;
    for (const workspaceId of behind) {
      const left = await store.write((tx) => learnOnce(tx, workspaceId), { durable: false });
      more ||= left;
    }
    if (behind.length > 0) lastFold = clock.now();
    return more;
  });
  const unsubscribe = store.subscribe('outcomes', () => worker.wake());
  return {
    ...worker,
    idle: async () => (await worker.idle()) && (await store.read((tx) => models.behind(tx))).length === 0,
    stop: () => {
      unsubscribe();
      return worker.stop();
    },
  };
}

/** Folds the next entries of one workspace; returns whether more are left. */
export async function learnOnce(tx: Tx, workspaceId: string): Promise<boolean> {
  const head = await models.lockForUpdate(tx, workspaceId);
  const { model, learnedSeq } = await newestSound(tx, workspaceId, head);
  const { rows: entries, more } = await rewards.after(tx, workspaceId, learnedSeq, CHUNK);
  if (entries.length === 0) return false;
  const next = { ...fold(model, entries), version: head.version + 1 };
  const nextHead = { version: next.version, learnedSeq: entries.at(-1)!.seq };
  await models.publish(tx, workspaceId, nextHead, serialiseModel(next));
  return more;
}

/**
 * The newest readable snapshot and its position in the log. If there is none, learning restarts from the whole log, so
 * that a damaged snapshot loses no outcome.
 */
async function newestSound(
  tx: Tx,
  workspaceId: string,
  head: ModelHead,
): Promise<{ model: Model; learnedSeq: number }> {
  const newest = parseModel((await models.body(tx, workspaceId, head.version)) ?? '');
  if (newest) return { model: newest, learnedSeq: head.learnedSeq };
  if (head.version > 0) {
    for (const { learnedSeq, version } of await models.kept(tx, workspaceId)) {
      const model = parseModel((await models.body(tx, workspaceId, version)) ?? '');
      if (model) return { model, learnedSeq };
    }
  }
  return { model: emptyModel(), learnedSeq: 0 };
}
