/** At most `max` holders of `key` at a time; 1 unless given. */
export interface Limit {
  readonly key: string;
  readonly max?: number;
}

interface Slots {
  held: number;
  readonly waiting: Set<() => void>;
}

/**
 * A keyed concurrency limiter. Work that falls under several limits holds a slot of each. `share` is this process's part
 * of each limit, where several processes are to add up to one; each has at least one slot.
 */
export class ConcurrencyLimiter {
  readonly #slots = new Map<string, Slots>();
  readonly #share: number;

  constructor(share = 1) {
    this.#share = share;
  }

  /** How many slots are free under every one of `limits`. */
  free(limits: readonly Limit[]): number {
    return Math.max(
      0,
      Math.min(
        ...limits.map(
          ({ key, max = 1 }) =>
            Math.max(1, Math.floor(max * this.#share)) - (this.#slots.get(key)?.held ?? 0),
        ),
      ),
    );
  }

  /** Takes up to `wanted` slots of every limit without waiting. Returns how many. */
  tryAcquire(limits: readonly Limit[], wanted = 1): number {
    const count = Math.max(0, Math.min(wanted, this.free(limits)));
    if (count > 0) for (const { key } of limits) this.#slotsOf(key).held += count;
    return count;
  }

  /**
   * Waits for one slot of every limit, in arrival order for each key. Resolves with the function that releases them,
   * or with undefined after `timeoutMs`. Keys are acquired in sorted order, so callers cannot deadlock.
   */
  async acquire(limits: readonly Limit[], timeoutMs: number): Promise<(() => void) | undefined> {
    const byKey = new Map(limits.map((limit) => [limit.key, limit]));
    const deadline = performance.now() + timeoutMs;
    const acquired: Limit[] = [];
    for (const key of [...byKey.keys()].sort()) {
      const limit = byKey.get(key)!;
      if (!(await this.#acquireOne(limit, deadline))) {
        this.release(acquired);
        return undefined;
      }
      acquired.push(limit);
    }
    return () => this.release(acquired);
  }

  /** Releases `count` slots of every limit. */
  release(limits: readonly Limit[], count = 1): void {
    for (const { key } of limits) for (let i = 0; i < count; i++) this.#releaseOne(key);
  }

  #acquireOne(limit: Limit, deadline: number): Promise<boolean> {
    if (this.tryAcquire([limit]) === 1) return Promise.resolve(true);
    const { waiting } = this.#slotsOf(limit.key);
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => {
          waiting.delete(granted);
          resolve(false);
        },
        Math.max(0, deadline - performance.now()),
      );
      const granted = () => {
        clearTimeout(timer);
        resolve(true);
      };
      waiting.add(granted);
    });
  }

  #releaseOne(key: string): void {
    const slots = this.#slotsOf(key);
    const [next] = slots.waiting;
    if (next) {
      // The slot passes to the next waiter, so the number of holders does not change.
      slots.waiting.delete(next);
      next();
    } else if (--slots.held === 0) this.#slots.delete(key);
  }

  #slotsOf(key: string): Slots {
    let slots = this.#slots.get(key);
    if (!slots) {
      slots = { held: 0, waiting: new Set() };
      this.#slots.set(key, slots);
    }
    return slots;
  }
}
