import { settings } from '../repositories/settings.ts';
import type { Store } from '../store.ts';

/** The machine's steady clock: milliseconds since it started, the same in all its processes. */
export type SteadyClock = () => number;

export const systemSteadyClock: SteadyClock = () => Number(process.hrtime.bigint() / 1000n) / 1000;

/** What ties limiter time to the steady clock: both at one moment, in ms. */
interface Anchor {
  readonly time: number;
  readonly steady: number;
}

/**
 * The time that the rate limiter counts in. It follows the steady clock, so a wall clock set back or forward grants
 * nothing and locks nobody out (docs/decisions.md, "Rate limit"); the first process on a store ties it to the wall
 * clock. It never reads less than the newest logged request: after a reboot it goes on from there, so a reboot refills
 * nothing and what was counted holds for one window at most.
 */
export async function limiterClock(store: Store, steady: SteadyClock): Promise<() => number> {
  const anchor = await store.write(async (tx) => {
    const known = await settings.get<Anchor>(tx, 'limiter_anchor');
    const reading = steady();
    const newest = await tx.sql.get<{ at: number | null }>('SELECT max(at_ms) AS at FROM admission');
    const sameBoot = known !== undefined && known.steady <= reading;
    const reckoned = sameBoot ? known.time + reading - known.steady : (known?.time ?? tx.now);
    const time = Math.max(reckoned, Number(newest?.at ?? 0));
    if (sameBoot && time === reckoned) return known;
    const made: Anchor = { time, steady: reading };
    await settings.set(tx, 'limiter_anchor', made);
    return made;
  });
  return () => Math.floor(anchor.time + steady() - anchor.steady);
}
