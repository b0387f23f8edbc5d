import { settings } from './settings.ts';
import type { Tx } from './store.ts';

/** Selects the offset of the test clock as `value`, in ms; no row where the store has none. */
export const OFFSET = "SELECT value FROM setting WHERE name = 'clock_offset'";

/** Selects the time to which a moving test clock holds back work (testClock.hold), Unix ms; no row where it does not. */
export const HOLD = "SELECT CAST(value AS bigint) FROM setting WHERE name = 'clock_hold'";

/** The test clock of a store. */
interface TestClock {
  /** By how much the service's time is later than that of the machine or the database, in ms. */
  readonly offsetMs: number;
  /** The time to which it moves, Unix ms; null once it is there and all due work is done. */
  readonly target: number | null;
  /** Work that is due later waits, Unix ms; null if it does not. */
  readonly hold: number | null;
}

/**
 * A clock of the service that tests can move (`serve --test-clock`). Its offset is part of the store, and a transaction
 * reads it where it reads its time, so that all processes see one time. It only moves forward.
 */
export const testClock = {
  /** Undefined where the store has none. */
  async get(tx: Tx): Promise<TestClock | undefined> {
    const offsetMs = await settings.get<number>(tx, 'clock_offset');
    if (offsetMs === undefined) return undefined;
    const target = (await settings.get<number | null>(tx, 'clock_target')) ?? null;
    return { offsetMs, target, hold: (await settings.get<number>(tx, 'clock_hold')) ?? null };
  },

  /** Gives the store a test clock that has not been moved, unless it has one. */
  async create(tx: Tx): Promise<void> {
    if ((await testClock.get(tx)) === undefined) await settings.set(tx, 'clock_offset', 0);
  },

  /** Sets the time to move to, Unix ms; null once it is reached. */
  async setTarget(tx: Tx, target: number | null): Promise<void> {
    await settings.set(tx, 'clock_target', target);
    if (target === null) await tx.sql.run("DELETE FROM setting WHERE name = 'clock_hold'");
  },

  /** Holds back work that is due after `at`, Unix ms, until the move ends: what comes in meanwhile waits. */
  async hold(tx: Tx, at: number): Promise<void> {
    await settings.set(tx, 'clock_hold', at);
  },

  /** Moves the time of later transactions to `to`, Unix ms, which is not before that of this one. */
  async moveTo(tx: Tx, { offsetMs }: TestClock, to: number): Promise<void> {
    await settings.set(tx, 'clock_offset', offsetMs + Math.max(0, to - tx.now));
    await tx.sql.run("DELETE FROM setting WHERE name = 'clock_hold'");
  },
};
