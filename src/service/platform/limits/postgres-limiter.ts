import type { PostgresStore } from '../store/postgres/store.ts';
import type { Limiter, LimiterTime } from './limiter.ts';
import type { SteadyClock } from './limiter-clock.ts';
import { decide } from './sliding-window.ts';

interface Row {
  unsure: boolean | null;
  counted: number;
  oldest: number | null;
  blocking: number | null;
  at_ms: number;
  wall: number;
  generation: number;
}

/** A reading of the database's clock and of this machine's steady clock, in ms, for one generation of the skew. */
interface Sample {
  readonly wall: number;
  readonly steady: number;
  readonly generation: number;
}

/** Difference between the expected and the actual time that does not count as a clock change. */
const TOLERANCE_MS = 250;

/** After this many late calls in a row the clock is accepted as it is. */
const ATTEMPTS = 3;

/** Concurrent calls for one group. The row of the group serializes them, so more would only hold connections. */
const CALLS = 3;

const COUNT = 'SELECT * FROM svc_count_request($1, $2, $3, $4, $5, $6, $7)';

/**
 * The limiter for several nodes: one function call per request, in database time (migrations/008-by-workspace/limiter.ts).
 *
 * A database has no monotonic clock, but each node has one and can predict the database's clock from the previous call.
 * If the clock differs and the duration of the call does not explain it, the clock was changed; the node reports the
 * difference and the function corrects limiter time. So a change of the clock neither admits nor blocks requests, as
 * long as one node runs across it. Differences under two seconds count as the drift that NTP corrects. On Citus changes of
 * the clock of a worker are not corrected.
 */
export function postgresLimiter(store: PostgresStore, steady: SteadyClock): Limiter {
  let sample: Sample | undefined;
  // On Citus the function runs on the worker that has the workspace, and each worker has its own clock.
  const oneClock = !store.dialect.distributed;
  return async (workspaceId, group, { limit, windowMs }) => {
    let jump: number | null = null;
    for (let attempt = 1; ; attempt++) {
      const before: Sample | undefined = sample;
      const sent = steady();
      const check = oneClock && before && jump === null && attempt <= ATTEMPTS;
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
      const turn = { key: `admission ${workspaceId} ${group}`, max: CALLS };
      const [row] = await store.statement<Row>('svc_count_request', COUNT, values, [turn]);
      const { unsure, counted, oldest, blocking, at_ms: at, wall, generation } = row!;
      const received = steady();
      sample = { wall, steady: received, generation };
      if (!unsure) {
        const view = { counted, oldest: oldest ?? undefined, blocking: blocking ?? undefined };
        return { verdict: decide(view, at, windowMs, limit), at, wall };
      }
      jump = clockChange(wall, expected!, received - sent);
    }
  };
}

/** Limiter time in the transaction's database, in ms. */
export const postgresLimiterTime: LimiterTime = async (tx) => {
  const row = await tx.sql.get<{ at: number }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint - skew AS at FROM limiter_time',
  );
  return row!.at;
};

/** By how many ms the clock was changed; null if the duration of the call explains the difference. */
function clockChange(wall: number, expected: number, duration: number): number | null {
  if (wall > expected + duration + TOLERANCE_MS) return Math.round(wall - expected - duration / 2);
  if (wall < expected - TOLERANCE_MS) return Math.round(wall - expected);
  return null;
}
