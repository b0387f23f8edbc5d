import type { Platform } from '../platform/platform.ts';
import { due } from '../platform/store/due.ts';
import { periodOf } from '../platform/store/retained-logs.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { eventIds, type IdRun, LEVELS } from './store/ids/event-ids.ts';
import { idMerges } from './store/ids/id-merges.ts';

const PAUSE_MS = 500;
/** Runs of a level that are merged, and runs of a period that is over. */
const INPUTS = 16;
const MAX_INPUTS = 64;
/** Rows that one transaction removes. */
const REMOVED = 200;

type Run = Omit<IdRun, 'hashes'>;

/** Merges runs of event ids, so that a search reads few, in transactions of some milliseconds. */
export const startIdMerger = (platform: WorkerPlatform, keptMs: () => number | null): Worker =>
  worker(platform, {
    name: 'the merger of event ids',
    lane: 'ids',
    leader: 'event ids',
    pause: PAUSE_MS,
    work: async (workspaceId, stopping) => {
      await platform.store.write((tx) => due.clear(tx, workspaceId, 'ids'), { durable: false, bulk: true });
      while (!stopping.aborted && (await mergeOnce(platform, workspaceId, periodOf(keptMs()))));
      return false;
    },
  });

/**
 * Merges some runs of a workspace and removes what was merged. A crash leaves the runs, and a part of their merge that the
 * next attempt completes. Resolves to false if there are none to merge.
 */
export async function mergeOnce(
  { store, precedence }: Pick<Platform, 'store' | 'precedence'>,
  workspaceId: string,
  periodMs: number,
): Promise<boolean> {
  const options = { durable: false, bulk: true };
  const { runs, now } = await store.read(async (tx) => ({
    runs: await eventIds.runs(tx, workspaceId),
    now: tx.now,
  }));
  const inputs = inputsOf(runs, Math.floor(now / periodMs), (at) => Math.floor(at / periodMs));
  if (!inputs) return false;
  const output = await store.write((tx) => idMerges.start(tx, workspaceId, inputs), options);
  if (!output) {
    // What a merge that was given up has left is removed first.
    await store.write((tx) => eventIds.clean(tx, workspaceId, REMOVED), options);
    return true;
  }
  for (let block = 0; block < output.blocks; ) {
    await precedence.yieldToRequests();
    const next = await store.write(
      (tx) => idMerges.addBlocks(tx, workspaceId, inputs, output, block),
      options,
    );
    if (next === undefined) return true;
    block = next;
  }
  await store.write((tx) => idMerges.end(tx, workspaceId, inputs, output), options);
  do await precedence.yieldToRequests();
  while ((await store.write((tx) => eventIds.clean(tx, workspaceId, REMOVED), options)) > 0);
  return true;
}

/**
 * Chooses runs to merge, the same for every process: enough of a level, or all of a period that is over. Runs are of one
 * period, in which ids are removed together.
 */
function inputsOf(
  runs: readonly Run[],
  current: number,
  periodOf: (at: number) => number,
): readonly Run[] | undefined {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const level = run.run % LEVELS;
    if (level === LEVELS - 1) continue;
    const period = periodOf(run.at);
    const key = period < current ? `${period}` : `${period} ${level}`;
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(run);
    if (period === current && group.length === INPUTS) return group;
  }
  const over = [...groups].find(([key, group]) => !key.includes(' ') && group.length > 1);
  return over?.[1].slice(0, MAX_INPUTS);
}
