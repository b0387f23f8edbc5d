import type { ServiceDeps } from '../runtime/deps.ts';
import { models } from '../store/repositories/models.ts';
import { rewards } from '../store/repositories/rewards.ts';
import { repeat, type Worker } from './worker.ts';

/** Interval of checks of the log, to which another process may have written. */
const PAUSE_MS = 5_000;
/** How long to wait for further outcomes, so that they are learned together. */
const GATHER_MS = 10;
/** Interval of snapshots, by their size: 200 ms for a small model, 40 s for one of 20 MB. */
const SNAPSHOT_MS = 200;
const SNAPSHOT_MS_PER_BYTE = 2e-3;

/**
 * Keeps the models of this process up to date with the reward log. One of the nodes on a database stores snapshots, from
 * which a starting node continues.
 */
export function startLearner(deps: ServiceDeps): Worker {
  const { store, clock, log, models: learned } = deps;
  const behind = async () => {
    const heads = await store.read((tx) => rewards.heads(tx));
    return heads.filter(({ workspaceId, seq }) => learned.isBehind(workspaceId, seq));
  };
  const publisher = repeat('the publisher of models', clock, log, PAUSE_MS, async () => {
    if (!(await store.leads('learner'))) {
      learned.trim();
      return false;
    }
    let bytes = 0;
    for (const workspaceId of await store.read((tx) => models.behind(tx)))
      bytes += await store.write((tx) => learned.publish(tx, workspaceId), { durable: false });
    learned.trim();
    if (bytes > 0) await clock.sleep(SNAPSHOT_MS + bytes * SNAPSHOT_MS_PER_BYTE);
    return false;
  });
  const follower = repeat('the learner', clock, log, PAUSE_MS, async () => {
    await clock.sleep(GATHER_MS);
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
      (!(await store.leads('learner')) || (await store.read((tx) => models.behind(tx))).length === 0),
    stop: async () => {
      unsubscribe();
      await follower.stop();
      await publisher.stop();
    },
  };
}
