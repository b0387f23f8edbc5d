import { ConcurrencyLimiter, type Limit } from '../../../kit/concurrency-limiter.ts';

/** Slots acquired from the pool's limiter for jobs that have yet to be claimed. */
export interface Reservation {
  readonly limits: readonly Limit[];
  readonly count: number;
}

/** The running jobs of a worker, each of which holds a slot of its limits until it ends. */
export class JobPool {
  readonly limiter: ConcurrencyLimiter;
  /** This process's part of the slots of a node. */
  readonly share: number;
  readonly #jobs = new Set<Promise<void>>();

  constructor(share: number) {
    this.share = share;
    this.limiter = new ConcurrencyLimiter(share);
  }

  /** Number of running jobs. */
  get size(): number {
    return this.#jobs.size;
  }

  /**
   * Claims items for the reserved slots and starts `run` for each. `claim` resolves with the items of each reservation,
   * in the same order and at most `count`. Slots without an item are released, all of them if `claim` rejects.
   * `onEnd` is called after each job.
   */
  async fill<T>(
    reservations: readonly Reservation[],
    claim: () => Promise<readonly (readonly T[])[]>,
    run: (item: T) => Promise<void>,
    onEnd: () => void,
  ): Promise<void> {
    let claims: readonly (readonly T[])[] = [];
    try {
      claims = await claim();
    } finally {
      reservations.forEach(({ limits, count }, i) => {
        this.limiter.release(limits, count - (claims[i]?.length ?? 0));
      });
    }
    reservations.forEach(({ limits }, i) => {
      for (const item of claims[i]!) this.#start(limits, () => run(item), onEnd);
    });
  }

  /** Resolves once no job is running. */
  async drained(): Promise<void> {
    while (this.#jobs.size > 0) await Promise.allSettled(this.#jobs);
  }

  #start(limits: readonly Limit[], run: () => Promise<void>, onEnd: () => void): void {
    const job = run().finally(() => {
      this.limiter.release(limits);
      this.#jobs.delete(job);
      onEnd();
    });
    this.#jobs.add(job);
  }
}
