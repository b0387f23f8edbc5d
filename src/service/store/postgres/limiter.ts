import { decide } from '../../domain/sliding-window.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { SteadyClock } from '../limiter/limiter-clock.ts';
import type { PostgresStore } from './store.ts';

interface Row {
  unsure: boolean | null;
  counted: number;
  oldest: number | null;
  blocking: number | null;
  at_ms: number;
  wall: number;
  generation: number;
}

/** The database's clock at a moment of this machine's steady clock, both in ms, for one generation of the skew. */
interface Sample {
  readonly wall: number;
  readonly steady: number;
  readonly generation: number;
}

/** How far the clock may be from what was reckoned without having been set. */
const TOLERANCE_MS = 250;

/** After so many calls in a row that were late the clock is taken as it is. */
const ATTEMPTS = 3;

/** Calls of one group under way: the row of the group admits one at a time, so more would only hold connections. */
const CALLS = 3;

const ADMIT = 'SELECT * FROM svc_admit($1, $2, $3, $4, $5, $6, $7)';

/**
 * The limiter of many nodes: one function call a request, in the database's time (migrations/004-postgres-limiter.ts).
 *
 * A database has no clock that nobody can set, but each node has: between two calls it knows how far the database's
 * clock must have come. Where the clock is off and the duration of the call does not explain it, it was set; the node
 * says so and the function keeps limiter time going on as before. So a clock set forward grants nothing, and one set
 * back holds nobody, for as long as one node runs across the change. Less than two seconds count as the drift that NTP
 * corrects.
 */
export function postgresLimiter(store: PostgresStore, steady: SteadyClock): Limiter {
  let sample: Sample | undefined;
  return async (workspaceId, group, { limit, windowMs }) => {
    let jump: number | null = null;
    for (let attempt = 1; ; attempt++) {
      const before: Sample | undefined = sample;
      const sent = steady();
      const check = before && jump === null && attempt <= ATTEMPTS;
      const expected = check ? Math.floor(before.wall + sent - before.steady) : null;
      const values = [
        workspaceId,
        group,
        Math.ceil(limit),
        windowMs,
        expected,
        jump,
        before?.generation ?? null,
      ];
      const turn = { name: `admission ${workspaceId} ${group}`, width: CALLS };
      const [row] = await store.statement<Row>('svc_admit', ADMIT, values, [turn]);
      const { unsure, counted, oldest, blocking, at_ms: at, wall, generation } = row!;
      const received = steady();
      sample = { wall, steady: received, generation };
      if (!unsure) {
        const view = { counted, oldest: oldest ?? undefined, blocking: blocking ?? undefined };
        return { verdict: decide(view, at, windowMs, limit), at, wall };
      }
      jump = setBy(wall, expected!, received - sent);
    }
  };
}

/** By how many ms the clock was set; null where the call's own duration explains what was seen. */
function setBy(wall: number, expected: number, took: number): number | null {
  if (wall > expected + took + TOLERANCE_MS) return Math.round(wall - expected - took / 2);
  if (wall < expected - TOLERANCE_MS) return Math.round(wall - expected);
  return null;
}
