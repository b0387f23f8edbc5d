/**
 * Counts what is under way, by lane (a subscription, a channel), so that one that hangs fills its own lane and delays
 * no other.
 */
export class KeyedConcurrency {
  readonly #width: number;
  readonly #running = new Map<string, number>();
  readonly #jobs = new Set<Promise<void>>();

  /** `width`: jobs of one lane at a time. */
  constructor(width: number) {
    this.#width = width;
  }

  /** How many more jobs a lane takes; a lane may be made narrower by `width`. */
  room(lane: string, width = this.#width): number {
    return Math.max(0, width - (this.#running.get(lane) ?? 0));
  }

  get busy(): boolean {
    return this.#jobs.size > 0;
  }

  /** Jobs of all lanes. */
  get size(): number {
    return this.#jobs.size;
  }

  /** Starts a job; `done` is called when it has ended, however it did. */
  run(lane: string, job: () => Promise<void>, done: () => void): void {
    this.#running.set(lane, (this.#running.get(lane) ?? 0) + 1);
    const running = job().finally(() => {
      const left = this.#running.get(lane)! - 1;
      if (left === 0) this.#running.delete(lane);
      else this.#running.set(lane, left);
      this.#jobs.delete(running);
      done();
    });
    this.#jobs.add(running);
  }

  /** Resolves once nothing is under way. */
  async drained(): Promise<void> {
    while (this.#jobs.size > 0) await Promise.allSettled(this.#jobs);
  }
}
