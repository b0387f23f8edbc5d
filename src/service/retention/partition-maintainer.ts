import type { Platform } from '../platform/platform.ts';
import { NUMBERED_LOGS, type Retention } from '../platform/store/retained-logs.ts';
import { givesSpaceBack } from '../platform/store/sqlite/shrink.ts';
import { repeat, type Worker } from '../platform/workers/worker.ts';

const PAUSE_MS = 60_000;

/**
 * Keeps partitions of the logs and gives freed space back to the file system, where retention is set. The janitor removes
 * the rows that are not dropped with a partition.
 */
export function startPartitionMaintainer(
  { store, clock, log, precedence }: Pick<Platform, 'store' | 'clock' | 'log' | 'precedence'>,
  retention: () => Retention,
): Worker {
  const keepPartitions = async () => {
    for (const name of NUMBERED_LOGS) {
      // A change of a table locks it on the coordinator until the last worker has answered.
      const out = store.workers && store.workers.out().out > 0;
      const obstacle = out
        ? 'a worker of the database does not answer'
        : await store.partitions!.keep(name, retention()[name]);
      if (obstacle)
        log('warn', 'the partitions of a log are to be changed, which is tried again', {
          log: name,
          reason: obstacle,
        });
    }
  };
  let reported = false;
  const shrink = async (stopping: AbortSignal) => {
    if (NUMBERED_LOGS.every((name) => retention()[name] === null)) return;
    if (!reported && !(await store.read(({ sql }) => givesSpaceBack(sql))))
      log('info', 'the database file keeps the space of removed rows for new ones', {
        next: "to give it back, stop the service once and run: sqlite3 FILE 'PRAGMA auto_vacuum = INCREMENTAL; VACUUM'",
      });
    reported = true;
    do await precedence.yieldToRequests();
    while (!stopping.aborted && (await store.shrink()));
  };
  return repeat('the partition maintainer', clock, log, PAUSE_MS, async (stopping) => {
    if (!(await store.leads('partition maintainer'))) return false;
    await (store.partitions ? keepPartitions() : shrink(stopping));
    return false;
  });
}
