import { StoreUnavailable, type Turn } from '../store.ts';

/** How long a write waits for its turns before it is answered 503. */
const PATIENCE_MS = 5_000;

interface Lane {
  running: number;
  readonly waiting: Set<() => void>;
}

/** A keyed concurrency limiter: of the writes that take one name, at most its width run at a time. */
export class Turns {
  readonly #lanes = new Map<string, Lane>();

  /**
   * Waits for all of `turns` and returns what gives them back. They are taken in the order of their names, so no two
   * writes wait for each other. Rejects with StoreUnavailable after PATIENCE_MS.
   */
  async take(turns: readonly Turn[]): Promise<() => void> {
    const widths = new Map(turns.map(({ name, width = 1 }) => [name, width]));
    const taken: string[] = [];
    const giveBack = () => {
      for (const name of taken) this.#leave(name);
    };
    const deadline = performance.now() + PATIENCE_MS;
    for (const name of [...widths.keys()].sort()) {
      if (!(await this.#enter(name, widths.get(name)!, deadline))) {
        giveBack();
        throw new StoreUnavailable('too many requests wait for the same row', undefined);
      }
      taken.push(name);
    }
    return giveBack;
  }

  /** False when the deadline came first. */
  async #enter(name: string, width: number, deadline: number): Promise<boolean> {
    const lane = this.#lanes.get(name) ?? { running: 0, waiting: new Set() };
    this.#lanes.set(name, lane);
    if (lane.running < width) {
      lane.running++;
      return true;
    }
    return new Promise((resolve) => {
      const late = setTimeout(
        () => {
          lane.waiting.delete(next);
          resolve(false);
        },
        Math.max(0, deadline - performance.now()),
      );
      // The one that leaves hands its place over: `running` stays.
      const next = () => {
        clearTimeout(late);
        resolve(true);
      };
      lane.waiting.add(next);
    });
  }

  #leave(name: string): void {
    const lane = this.#lanes.get(name)!;
    const [next] = lane.waiting;
    if (next) {
      lane.waiting.delete(next);
      next();
    } else if (--lane.running === 0) this.#lanes.delete(name);
  }
}
