import type { CountedGroup } from '../../../contract/limits.ts';
import type { Clock } from '../../../kit/clock.ts';
import type { Store, Tx } from '../store/store.ts';
import { admit } from './admissions.ts';
import { limiterClock, type SteadyClock } from './limiter-clock.ts';
import type { Verdict } from './sliding-window.ts';

/** The limit that applies to a request. */
export interface Rule {
  readonly limit: number;
  readonly windowMs: number;
}

export interface Admission {
  readonly verdict: Verdict;
  /** Limiter time at the verdict, in ms, on the same clock as `verdict.resetAt`. */
  readonly at: number;
  /** The wall clock at the verdict, Unix ms. */
  readonly wall: number;
}

/** Counts one request of a workspace against the limit of its group (specification: Limits). */
export type Limiter = (workspaceId: string, group: CountedGroup, rule: Rule) => Promise<Admission>;

/** Reads limiter time inside a transaction, in ms: the clock of the logged requests. */
export type LimiterTime = (tx: Tx) => Promise<number>;

/** The limiter for processes on one machine that share an SQLite file, and its clock. */
export async function localLimiter(
  store: Store,
  clock: Clock,
  steady: SteadyClock,
): Promise<{ limiter: Limiter; limiterTime: LimiterTime }> {
  const now = await limiterClock(store, steady);
  const limiter: Limiter = async (workspaceId, group, rule) => {
    return store.write(
      async (tx) => {
        // Read inside the transaction, so that timestamps are in the order of counting across processes.
        const at = now();
        return { verdict: await admit(tx, workspaceId, group, { ...rule, at }), at, wall: clock.now() };
      },
      { durable: false },
    );
  };
  return { limiter, limiterTime: async () => now() };
}
