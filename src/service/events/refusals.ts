import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { refusedBatches } from './store/refused-batches.ts';

const PAUSE_MS = 1_000;

/** Counts requests with events that are refused, until they are stored. */
export class Refusals {
  #counts = new Map<string, number>();

  get waiting(): number {
    return this.#counts.size;
  }

  note(workspaceId: string): void {
    this.#counts.set(workspaceId, (this.#counts.get(workspaceId) ?? 0) + 1);
  }

  take(): ReadonlyMap<string, number> {
    const taken = this.#counts;
    this.#counts = new Map();
    return taken;
  }
}

/** Stores the counts, one short transaction for each workspace. A crash loses those of a second. */
export function startRefusalWriter(platform: WorkerPlatform, refusals: Refusals): Worker {
  const add = async () => {
    for (const [workspaceId, n] of refusals.take())
      await platform.store.write((tx) => refusedBatches.add(tx, workspaceId, n), {
        durable: false,
        bulk: true,
      });
  };
  const writer = worker(platform, {
    name: 'the writer of refused events',
    pause: PAUSE_MS,
    work: async () => {
      await add();
      return false;
    },
    close: () => add().catch(() => undefined),
  });
  return { ...writer, idle: async () => refusals.waiting === 0 };
}
