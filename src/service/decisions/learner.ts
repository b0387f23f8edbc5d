import type { Platform } from '../platform/platform.ts';
import { due } from '../platform/store/due.ts';
import { dueRound, repeat, type Worker } from '../platform/workers/worker.ts';
import type { LearnedModels } from './learned-models.ts';
import { contentCounts } from './store/content-counts.ts';
import { models } from './store/models.ts';
import { rewards } from './store/rewards.ts';

/** Interval of checks of the log, to which another process may have written. */
const PAUSE_MS = 5_000;
/**
 * How long to wait for further outcomes, so that they are learned together. A decision does not wait for it: it learns
 * what is new before it is made.
 */
const GATHER_MS = 100;
/** Interval of snapshots, by their size: 200 ms for a small model, 40 s for one of 20 MB. */
const SNAPSHOT_MS = 200;
const SNAPSHOT_MS_PER_BYTE = 2e-3;
/** Pieces of the reward log that are counted between two snapshots. */
const COUNTED_PIECES = 20;

/**
 * Keeps the models that this process holds up to date with the reward log. One of the nodes on a database stores
 * snapshots, from which a starting node continues.
 */
export function startLearner(
  platform: Pick<Platform, 'store' | 'clock' | 'log' | 'precedence'>,
  learned: LearnedModels,
): Worker {
  const { store, clock, log, precedence } = platform;
  const behind = async () => {
    const held = learned.held().filter((workspaceId) => !store.workers?.isUnreachable(workspaceId));
    const heads = await store.read((tx) => rewards.heads(tx, held));
    return heads.filter(({ workspaceId, seq }) => learned.isBehind(workspaceId, seq));
  };
  /** Counts what contents earned, some pieces at a time. Returns true if more is left. */
  const count = async (workspaceId: string, stopping: AbortSignal): Promise<boolean> => {
    for (let piece = 0; piece < COUNTED_PIECES && !stopping.aborted; piece++) {
      await precedence.yieldToRequests();
      const more = await store.write((tx) => contentCounts.follow(tx, workspaceId), { durable: false });
      if (!more) return false;
    }
    return true;
  };
  /** Bytes that the publisher stored in its round. */
  let bytes = 0;
  const publish = async (workspaceId: string, stopping: AbortSignal) => {
    while (!stopping.aborted && (await learned.follow(store, workspaceId)) > 0);
    const uncounted = await count(workspaceId, stopping);
    // It stays due.
    if (stopping.aborted) return false;
    const proceed = async () => {
      await precedence.yieldToRequests();
      return !stopping.aborted;
    };
    // Until then it stays due.
    bytes += await learned.publish(store, workspaceId, proceed, async (tx) => {
      await due.clear(tx, workspaceId, 'learn');
      const [head] = await rewards.heads(tx, [workspaceId]);
      // More may have been learned while the pieces were stored.
      const behind = head && head.seq > ((await models.head(tx, workspaceId))?.learnedSeq ?? 0);
      if (behind || (await contentCounts.behind(tx, workspaceId))) await due.mark(tx, workspaceId, 'learn');
    });
    return uncounted;
  };
  const publishDue = dueRound(platform, 'learn', publish);
  const publisher = repeat('the publisher of models', clock, log, PAUSE_MS, async (stopping) => {
    bytes = 0;
    const more = (await store.leads('learner')) && (await publishDue(stopping));
    learned.trim();
    if (bytes > 0) await clock.sleep(SNAPSHOT_MS + bytes * SNAPSHOT_MS_PER_BYTE, stopping).catch(() => {});
    return more;
  });
  const follower = repeat('the learner', clock, log, PAUSE_MS, async (stopping) => {
    await clock.sleep(GATHER_MS, stopping).catch(() => {});
    let folded = 0;
    for (const { workspaceId } of await behind()) folded += await learned.follow(store, workspaceId);
    if (folded > 0) publisher.wake();
    return folded > 0;
  });
  const unsubscribe = store.subscribe('outcomes', () => follower.wake());
  return {
    wake: () => follower.wake(),
    idle: async () =>
      (await follower.idle()) &&
      (await behind()).length === 0 &&
      (!(await store.leads('learner')) || !(await store.read((tx) => due.any(tx, store.workers, 'learn')))),
    stop: async () => {
      unsubscribe();
      await Promise.all([follower.stop(), publisher.stop()]);
    },
  };
}
