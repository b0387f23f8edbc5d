import { settings } from '../store/settings.ts';
import type { Store } from '../store/store.ts';
import { newestAdmission } from './admissions.ts';

/** The machine's monotonic clock: milliseconds since boot, the same in all its processes. */
export type SteadyClock = () => number;

export const systemSteadyClock: SteadyClock = () => Number(process.hrtime.bigint() / 1000n) / 1000;

/** A reading of limiter time and of the steady clock at the same moment, in ms. */
interface Anchor {
  readonly time: number;
  readonly steady: number;
}

/**
 * Opens the clock of the rate limiter. It follows the steady clock, so a change of the wall clock neither admits nor
 * blocks requests (docs/design-choices.md, "Rate limit"); the first process on a store sets it from the wall clock. It never
 * reads less than the newest logged request: after a reboot it continues from there, so a reboot frees no capacity, and
 * logged requests count for one window at most.
 */
export async function limiterClock(store: Store, steady: SteadyClock): Promise<() => number> {
  const anchor = await store.write(async (tx) => {
    const known = await settings.get<Anchor>(tx, 'limiter_anchor');
    const reading = steady();
    const sameBoot = known !== undefined && known.steady <= reading;
    const expected = sameBoot ? known.time + reading - known.steady : (known?.time ?? tx.now);
    const time = Math.max(expected, await newestAdmission(tx));
    if (sameBoot && time === expected) return known;
    const made: Anchor = { time, steady: reading };
    await settings.set(tx, 'limiter_anchor', made);
    return made;
  });
  return () => Math.floor(anchor.time + steady() - anchor.steady);
}
