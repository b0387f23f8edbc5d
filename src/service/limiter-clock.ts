import { readFileSync } from 'node:fs';
import { settings } from './store/settings.ts';
import type { Store } from './store/store.ts';

/** The machine's steady clock: milliseconds that no change of the wall clock moves, common to all its processes. */
export interface SteadyClock {
  now(): number;
  /** Names the period in which `now()` of two processes can be compared: one boot of one machine. */
  readonly epoch: string;
}

export const systemSteadyClock: SteadyClock = {
  now: () => Number(process.hrtime.bigint() / 1000n) / 1000,
  get epoch() {
    try {
      return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    } catch {
      // No Linux: processes of other boots cannot be told apart, so each counts for itself.
      return `pid-${process.pid}`;
    }
  },
};

interface Anchor {
  epoch: string;
  /** Add this to the steady clock to get limiter time. */
  offsetMs: number;
}

/**
 * The time that the rate limiter counts in. It follows the steady clock, so a wall clock set back or forward grants
 * nothing and locks nobody out (docs/decisions.md, "Rate limit"). The first process of a boot ties it to the wall
 * clock, but never before the newest logged request, so a reboot refills nothing either.
 */
export async function limiterClock(store: Store, steady: SteadyClock): Promise<() => number> {
  const anchor = await store.write(async (tx) => {
    const known = await settings.get<Anchor>(tx, 'limiter_anchor');
    if (known?.epoch === steady.epoch) return known;
    const newest = await tx.sql.get<{ at: number | null }>('SELECT max(at_ms) AS at FROM admission');
    // A wall clock that was set back while nothing ran: what was counted counts as of now, for one window at most.
    const wall = tx.now;
    if (Number(newest?.at ?? 0) > wall)
      await tx.sql.run('UPDATE admission SET at_ms = ? WHERE at_ms > ?', [wall, wall]);
    const made: Anchor = { epoch: steady.epoch, offsetMs: wall - steady.now() };
    await settings.set(tx, 'limiter_anchor', made);
    return made;
  });
  return () => Math.floor(steady.now() + anchor.offsetMs);
}
