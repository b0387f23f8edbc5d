import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { refusedBatches } from './store/refused-batches.ts';

const PAUSE_MS = 1_000;

/** Counts requests with events that are refused, until they are stored. */
export class Refusals {
  readonly #counts = new Map<string, number>();

  get waiting(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  note(workspaceId: string): void {
    this.#counts.set(workspaceId, (this.#counts.get(workspaceId) ?? 0) + 1);
  }

  stored(workspaceId: string, n: number): void {
    const rest = (this.#counts.get(workspaceId) ?? 0) - n;
    if (rest > 0) this.#counts.set(workspaceId, rest);
    else this.#counts.delete(workspaceId);
  }
}

/** Stores the counts, one short transaction for each workspace. A crash loses those of a second. */
export function startRefusalWriter(platform: WorkerPlatform, refusals: Refusals): Worker {
  const add = async () => {
    for (const [workspaceId, n] of [...refusals.waiting]) {
      await platform.store.write((tx) => refusedBatches.add(tx, workspaceId, n), {
        durable: false,
        bulk: true,
      });
      refusals.stored(workspaceId, n);
    }
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
  return { ...writer, idle: async () => refusals.waiting.size === 0 };
}
