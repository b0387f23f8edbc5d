/**
 * The exact sliding window: at most `limit` requests are admitted in any `windowMs` (specification: Limits;
 * docs/design-choices.md: "Rate limit"). Pure functions of the log and the time.
 *
 * A request with timestamp `t` counts while `t > now - windowMs`. Only admitted requests are logged. A store can supply
 * the three numbers of `WindowView` instead of the log.
 */

/** The window at one moment, as returned by `SELECT COUNT(*), MIN(at) … WHERE at > now - windowMs`. */
export interface WindowView {
  /** Timestamps inside the window. */
  readonly counted: number;
  /** The oldest of them, in ms; undefined if there is none. */
  readonly oldest: number | undefined;
  /**
   * The timestamp that must leave the window before the next request is admitted, in ms: the `counted - limit + 1`
   * oldest. It equals `oldest` unless the limit was lowered below the current count. Used only at the limit.
   */
  readonly blocking: number | undefined;
}

export interface Verdict {
  readonly admitted: boolean;
  /** Requests left in the window after this one, at least 0. */
  readonly remaining: number;
  /** When the oldest counted request leaves the window, in ms on the clock of `now`. */
  readonly resetAt: number;
  /** Whole seconds to wait, at least 1; undefined when admitted. */
  readonly retryAfter: number | undefined;
}

/** Computes the window of a log (ms, ascending) at `now`. */
export function viewOf(log: readonly number[], now: number, windowMs: number, limit: number): WindowView {
  const first = firstAfter(log, now - windowMs);
  const counted = log.length - first;
  return {
    counted,
    oldest: log[first],
    blocking: counted >= limit ? log[first + Math.max(0, counted - Math.max(1, limit))] : undefined,
  };
}

/** Decides whether one more request is admitted. `limit` is a positive integer; times are in ms. */
export function decide(view: WindowView, now: number, windowMs: number, limit: number): Verdict {
  const admitted = view.counted < limit;
  const resetAt = (view.oldest ?? now) + windowMs;
  if (admitted) return { admitted, remaining: limit - view.counted - 1, resetAt, retryAfter: undefined };
  const wait = (view.blocking ?? view.oldest ?? now) + windowMs - now;
  return { admitted, remaining: 0, resetAt, retryAfter: Math.max(1, Math.ceil(wait / 1000)) };
}

/**
 * Decides one request on a log in memory and returns the updated log. Timestamps later than `now` exist only after the
 * clock was set back. They are set to `now`, whatever the verdict, so that they count for one window at most.
 */
export function admit(
  log: readonly number[],
  now: number,
  windowMs: number,
  limit: number,
): { verdict: Verdict; log: number[] } {
  const clamped = log.at(-1)! > now ? log.map((at) => Math.min(at, now)) : log;
  const verdict = decide(viewOf(clamped, now, windowMs, limit), now, windowMs, limit);
  const kept = clamped.slice(firstAfter(clamped, now - windowMs));
  if (verdict.admitted) kept.push(now);
  return { verdict, log: kept };
}

/**
 * The Unix second for `X-Service-RateLimit-Reset`, rounded up. `wall` is the wall clock at `now`, if the log does not
 * use the wall clock itself.
 */
export function resetSecond(resetAt: number, now: number, wall: number = now): number {
  return Math.ceil((wall + resetAt - now) / 1000);
}

/** Index of the first timestamp later than `time` in an ascending log. */
function firstAfter(log: readonly number[], time: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (log[middle]! > time) high = middle;
    else low = middle + 1;
  }
  return low;
}
