/** A clock that moves only by `advance`. */
export class VirtualClock {
  #now: number;
  #sleepers: { at: number; wake: () => void }[] = [];

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        reject(signal.reason);
      });
    });
  }

  /** The number of sleepers. */
  get asleep(): number {
    return this.#sleepers.length;
  }

  /** Advances by `ms`, wakes sleepers in order and lets the work that they start run. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const next = this.#sleepers.reduce<{ at: number; wake: () => void } | undefined>(
        (first, other) => (other.at <= end && (first === undefined || other.at < first.at) ? other : first),
        undefined,
      );
      if (next === undefined) break;
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      await settle();
    }
    this.#now = end;
  }
}

/** Lets everything that is ready run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
