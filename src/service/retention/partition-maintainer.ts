import { NUMBERED_LOGS, type Retention } from '../platform/store/retained-logs.ts';
import { givesSpaceBack } from '../platform/store/sqlite/shrink.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';

const PAUSE_MS = 60_000;

/**
 * Keeps partitions of the logs and gives freed space back to the file system, where retention is set. The janitor removes
 * the rows that are not dropped with a partition.
 */
export function startPartitionMaintainer(platform: WorkerPlatform, retention: () => Retention): Worker {
  const { store, log, precedence } = platform;
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
  return worker(platform, {
    name: 'the partition maintainer',
    leader: 'partition maintainer',
    pause: PAUSE_MS,
    work: async (stopping) => {
      await (store.partitions ? keepPartitions() : shrink(stopping));
      return false;
    },
  });
}
