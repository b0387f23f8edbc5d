import { setMaxListeners } from 'node:events';
import { ConcurrencyLimiter, type Limit } from '../../../kit/concurrency-limiter.ts';
import type { Platform } from '../platform.ts';
import { due, type Lane } from '../store/due.ts';
import { type SqlValue, StoreUnavailable, type Tx, type WriteOptions } from '../store/store.ts';
import { repeat, type WorkerPlatform } from './worker.ts';

/** Duration of a lease. The claims of a killed process can be taken over when it expires. */
export const LEASE_MS = 10_000;
/** Interval between renewals. Four renewals may fail or be late before a lease expires. */
const RENEW_MS = 2000;
/** A claim that took longer is released: another worker may take it over before its lease is renewed. */
const CLAIMED_MS = LEASE_MS - RENEW_MS;

/** A row that a worker has claimed. */
export interface Claimed {
  readonly workspaceId: string;
  /** Number of the claim: only its worker may store what became of the row. */
  readonly claim: number;
}

/** Which due rows to claim: a condition and its values. */
export interface Claimable {
  readonly where: string;
  readonly params: readonly SqlValue[];
  /** In which order, beginning with `due_at`, SQL. Default: longest due first. */
  readonly order?: string;
  readonly limit: number;
  readonly leaseMs: number;
}

/**
 * The claims of workers on the rows of a table. A row is due at `due_at`; `claim` numbers its claims, and `claimed` counts
 * those since its last result: with more than one, a worker was lost. Every change says `claim = ?`, so that a worker
 * whose claim was taken over changes nothing.
 */
export class Claims<T extends Claimed> {
  readonly #table: 'delivery' | 'notification';
  readonly #lane: Lane;
  readonly #idOf: (of: T) => string;

  constructor(table: 'delivery' | 'notification', lane: Lane, idOf: (of: T) => string) {
    this.#table = table;
    this.#lane = lane;
    this.#idOf = idOf;
  }

  /** Claims due rows, longest due first. Returns the columns of `returning`, SQL, of each. */
  take<R>(tx: Tx, workspaceId: string, which: Claimable, returning: string): Promise<R[]> {
    const table = this.#table;
    return tx.sql.all<R>(
      `WITH taken AS MATERIALIZED (SELECT workspace_id, ${table}_id FROM ${table}
         WHERE workspace_id = ? AND ${which.where} AND due_at <= ?
         ORDER BY ${which.order ?? 'due_at'} LIMIT ? ${tx.sql.dialect.skipLocked})
       UPDATE ${table} SET claim = claim + 1, claimed = claimed + 1, due_at = ?
       WHERE (workspace_id, ${table}_id) IN (SELECT * FROM taken) RETURNING ${returning}`,
      [workspaceId, ...which.params, tx.now, which.limit, tx.now + which.leaseMs],
    );
  }

  /** Extends the leases of claimed rows. Skips locked rows until the next renewal. */
  async renew(tx: Tx, held: readonly T[], leaseMs: number): Promise<void> {
    const table = this.#table;
    for (const each of held)
      await tx.sql.run(
        `UPDATE ${table} SET due_at = ? WHERE (workspace_id, ${table}_id) IN (SELECT workspace_id, ${table}_id FROM ${table}
           WHERE workspace_id = ? AND ${table}_id = ? AND claim = ? AND claimed > 0 ${tx.sql.dialect.skipLocked})`,
        [tx.now + leaseMs, each.workspaceId, this.#idOf(each), each.claim],
      );
  }

  /** Releases a claimed row that was not attempted: it is due at once. Does nothing if the claim has ended. */
  async release(tx: Tx, claimed: T, columns: Readonly<Record<string, SqlValue>> = {}): Promise<void> {
    const released = await this.store(
      tx,
      claimed,
      { ...columns, claimed: 0, due_at: tx.now },
      ' AND claimed > 0',
    );
    if (released) await due.mark(tx, claimed.workspaceId, this.#lane);
  }

  /** Stores columns of a row. Returns false, and changes nothing, if another worker has claimed it since. */
  async store(tx: Tx, of: T, columns: Readonly<Record<string, SqlValue>>, condition = ''): Promise<boolean> {
    const sets = Object.keys(columns).map((name) => `${name} = ?`);
    const changed = await tx.sql.run(
      `UPDATE ${this.#table} SET ${sets.join(', ')}
       WHERE workspace_id = ? AND ${this.#table}_id = ? AND claim = ?${condition}`,
      [...Object.values(columns), of.workspaceId, this.#idOf(of), of.claim],
    );
    return changed > 0;
  }
}

/** Slots acquired from the limiter for jobs that have yet to be claimed. */
export interface Reservation {
  readonly limits: readonly Limit[];
  readonly count: number;
}

interface JobOptions<T extends Claimed> {
  /** What is attempted, for the log, and the fields that name one. */
  readonly what: string;
  readonly fields: (claimed: T) => Readonly<Record<string, string>>;
  readonly renew: (tx: Tx, held: readonly T[]) => Promise<void>;
  readonly release: (tx: Tx, claimed: T) => Promise<void>;
  /** Makes the attempt and stores its result. */
  readonly run: (claimed: T) => Promise<void>;
  /** How long `stop` waits for running jobs before it aborts them, in ms. */
  readonly graceMs: number;
}

/** The running jobs of a worker. Each holds a claim, whose lease is renewed, and a slot of its limits until it ends. */
export class Jobs<T extends Claimed> {
  readonly limiter: ConcurrencyLimiter;
  /** This process's part of the slots of a node. */
  readonly share: number;
  readonly #platform: WorkerPlatform;
  readonly #options: JobOptions<T>;
  readonly #running = new Set<Promise<void>>();
  readonly #held = new Set<T>();
  readonly #renewal: { stop(): Promise<void> };
  readonly #stopping = new AbortController();
  readonly #aborting = new AbortController();

  constructor(platform: WorkerPlatform & Pick<Platform, 'share'>, options: JobOptions<T>) {
    this.#platform = platform;
    this.#options = options;
    this.share = platform.share;
    this.limiter = new ConcurrencyLimiter(platform.share);
    // Each running attempt adds a listener.
    setMaxListeners(0, this.#stopping.signal, this.#aborting.signal);
    const { clock, log } = platform;
    this.#renewal = repeat('the lease renewal', clock, log, RENEW_MS, () => this.#renew());
  }

  /** Number of running jobs. */
  get size(): number {
    return this.#running.size;
  }

  /** No job is started any more. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Running jobs end. */
  get aborting(): AbortSignal {
    return this.#aborting.signal;
  }

  /**
   * Claims rows for the reserved slots and starts a job for each. `claim` resolves with the rows of each reservation, in
   * the same order and at most `count`. Slots without a row are released, all of them if `claim` rejects. `onEnd` is
   * called after each job.
   */
  async fill(
    reservations: readonly Reservation[],
    claim: () => Promise<readonly (readonly T[])[]>,
    onEnd: () => void,
  ): Promise<void> {
    const started = performance.now();
    let claims: readonly (readonly T[])[] = [];
    try {
      claims = await claim();
    } finally {
      reservations.forEach(({ limits, count }, i) => {
        this.limiter.release(limits, count - (claims[i]?.length ?? 0));
      });
    }
    reservations.forEach(({ limits }, i) => {
      for (const claimed of claims[i]!) this.#start(claimed, started, limits, onEnd);
    });
  }

  /** Waits for the running jobs, and aborts them after the grace period. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    if (this.#options.graceMs === 0) this.#aborting.abort();
    const drained = new AbortController();
    const timeout = this.#platform.clock.sleep(this.#options.graceMs, drained.signal).then(
      () => this.#aborting.abort(),
      () => {},
    );
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    drained.abort();
    await timeout;
    await this.#renewal.stop();
  }

  #start(claimed: T, started: number, limits: readonly Limit[], onEnd: () => void): void {
    const job = this.#attempt(claimed, started).finally(() => {
      this.limiter.release(limits);
      this.#running.delete(job);
      onEnd();
    });
    this.#running.add(job);
  }

  async #attempt(claimed: T, started: number): Promise<void> {
    const { what, fields, release, run } = this.#options;
    const { store, log } = this.#platform;
    this.#held.add(claimed);
    try {
      const late = performance.now() - started >= CLAIMED_MS;
      if (late || this.#stopping.signal.aborted)
        await store.write((tx) => release(tx, claimed), { durable: false });
      else await run(claimed);
    } catch (error) {
      // After the lease expires, the next worker decides whether another attempt is safe.
      log('error', `cannot store the result of ${what}`, {
        ...fields(claimed),
        reason: error instanceof Error ? error.message : String(error),
      });
    } finally {
      this.#held.delete(claimed);
    }
  }

  async #renew(): Promise<boolean> {
    const { store } = this.#platform;
    const byWorkspace = new Map<string, T[]>();
    for (const claim of this.#held) {
      // A worker that is silent would hold up the renewal of the others.
      if (store.workers?.isUnreachable(claim.workspaceId)) continue;
      byWorkspace.set(claim.workspaceId, [...(byWorkspace.get(claim.workspaceId) ?? []), claim]);
    }
    const renewed = await Promise.allSettled(
      [...byWorkspace.values()].map((claims) =>
        store.write((tx) => this.#options.renew(tx, claims), { durable: false }),
      ),
    );
    for (const result of renewed) if (result.status === 'rejected') throw result.reason;
    return false;
  }
}

/** How long to retry while the store is unavailable, and the pause between two attempts. */
const TIMEOUT_MS = 60_000;
const PAUSE_MS = 250;

/**
 * Stores the result of a finished attempt, and retries while the store is unavailable: a lost result would repeat a
 * delivery or leave the outcome of a notification unknown. `work` must be idempotent, because a failed commit may have
 * succeeded. Rejects with StoreUnavailable after a minute, or when `stopping` is aborted.
 */
export async function recordResult(
  { store, clock, precedence }: Pick<Platform, 'store' | 'clock' | 'precedence'>,
  stopping: AbortSignal,
  work: (tx: Tx) => Promise<unknown>,
  options?: WriteOptions,
): Promise<void> {
  for (let waited = 0; ; waited += PAUSE_MS) {
    try {
      await precedence.yieldToRequests();
      await store.write(work, options);
      return;
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || waited >= TIMEOUT_MS || stopping.aborted) throw error;
      await clock.sleep(PAUSE_MS, stopping).catch(() => {});
    }
  }
}
