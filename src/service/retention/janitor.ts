import type { Platform } from '../platform/platform.ts';
import { due } from '../platform/store/due.ts';
import {
  cutoffsOf,
  NUMBERED_LOGS,
  type NumberedLog,
  type Retention,
} from '../platform/store/retained-logs.ts';
import { LOG_TABLES } from '../platform/store/retention/log-tables.ts';
import { removals as logRemovals, type RemovalByAge } from '../platform/store/retention/removals.ts';
import type { Tx } from '../platform/store/store.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { namedKinds } from '../webhooks/store/named-kinds.ts';

const PAUSE_MS = 60_000;
/** A workspace where nothing expired is cleaned after a pause that doubles, up to this one. */
const MAX_PAUSE_MS = 3_600_000;
const CHUNK = 500;

/** Deletes expired rows, in batches small enough not to delay requests. */
export function startJanitor(
  platform: WorkerPlatform,
  retention: () => Retention,
  removals: readonly RemovalByAge[],
): Worker {
  const { store } = platform;
  /** The pauses of workspaces where nothing expired, in ms. */
  const pauses = new Map<string, number>();

  const clean = async (workspaceId: string): Promise<boolean> => {
    const most = await cleanOnce(platform, retention, removals, workspaceId);
    const before = pauses.get(workspaceId);
    const pause = most > 0 || before === undefined ? PAUSE_MS : Math.min(before * 2, MAX_PAUSE_MS);
    pauses.set(workspaceId, pause);
    await markNext(workspaceId, most >= CHUNK ? 0 : pause);
    return most >= CHUNK;
  };
  const markNext = (workspaceId: string, pause: number) =>
    store.write(
      async (tx) => {
        // Somebody waits to be told what is removed.
        const isTold = (await namedKinds(tx, workspaceId)).has('message.expired');
        await due.clear(tx, workspaceId, 'clean');
        await due.mark(tx, workspaceId, 'clean', tx.now + (isTold ? Math.min(pause, PAUSE_MS) : pause));
      },
      { durable: false, bulk: true },
    );
  return worker(platform, {
    name: 'the janitor',
    lane: 'clean',
    routine: true,
    leader: 'janitor',
    pause: PAUSE_MS,
    work: clean,
  });
}

/** Runs each removal once for a workspace. Returns the largest number of rows that one removed, CHUNK if more are left. */
export async function cleanOnce(
  { store, precedence }: Pick<Platform, 'store' | 'precedence'>,
  retention: () => Retention,
  removals: readonly RemovalByAge[],
  workspaceId: string,
): Promise<number> {
  /** Removes the old rows of a log that are not dropped with a partition. */
  const removeOld =
    (name: NumberedLog): RemovalByAge =>
    async (tx, _, most, cutoffs) => {
      const keptMs = retention()[name];
      const before = cutoffs[name];
      if (keptMs === null || before === null) return 0;
      const tables = (await store.partitions?.byRow(tx, name, keptMs)) ?? [LOG_TABLES[name].table];
      let removed = 0;
      for (const table of tables)
        removed = Math.max(removed, await logRemovals.rows(tx, workspaceId, name, table, before, most));
      // Fewer rows were removed at once because they are large.
      return removed > 0 ? most : 0;
    };
  let most = 0;
  for (const remove of [...NUMBERED_LOGS.map(removeOld), ...removals]) {
    await precedence.yieldToRequests();
    const clean = (tx: Tx) => remove(tx, workspaceId, CHUNK, cutoffsOf(tx.now, retention()));
    most = Math.max(most, await store.write(clean, { durable: false, bulk: true }));
  }
  return most;
}
