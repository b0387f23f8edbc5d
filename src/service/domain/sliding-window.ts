/**
 * The exact sliding window: in any `windowMs` at most `limit` requests are let through (specification: Limits;
 * docs/decisions.md: "Rate limit"). Pure: the log and the time come in, the verdict and what to keep go out.
 *
 * A request stamped `t` counts while `t > now - windowMs`. Only admitted requests are stamped: a refused one leaves no
 * trace. A store need not hand over the log itself, the three numbers of `WindowView` suffice.
 */

/** What is counted at one moment, as `SELECT COUNT(*), MIN(at) … WHERE at > now - windowMs` gives it. */
export interface WindowView {
  /** Stamps inside the window. */
  readonly counted: number;
  /** The oldest of them, in ms; undefined when none is counted. */
  readonly oldest: number | undefined;
  /**
   * The stamp whose leaving makes room for one more, in ms: the `counted - limit + 1` oldest. The same as `oldest`
   * unless the limit was lowered under what is counted already. Only looked at when the limit is reached.
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

/** Counts a log of stamps (ms, ascending) at `now`. */
export function viewOf(log: readonly number[], now: number, windowMs: number, limit: number): WindowView {
  const first = firstAfter(log, now - windowMs);
  const counted = log.length - first;
  return {
    counted,
    oldest: log[first],
    blocking: counted >= limit ? log[first + Math.max(0, counted - Math.max(1, limit))] : undefined,
  };
}

/** May one more request pass? `limit` is a positive whole number; times are in ms. */
export function decide(view: WindowView, now: number, windowMs: number, limit: number): Verdict {
  const admitted = view.counted < limit;
  const resetAt = (view.oldest ?? now) + windowMs;
  if (admitted) return { admitted, remaining: limit - view.counted - 1, resetAt, retryAfter: undefined };
  const wait = (view.blocking ?? view.oldest ?? now) + windowMs - now;
  return { admitted, remaining: 0, resetAt, retryAfter: Math.max(1, Math.ceil(wait / 1000)) };
}

/**
 * Decides on a log in memory and returns the log to keep: the whole of the above in one step. Stamps later than `now`
 * exist only when the clock was set back; left alone they would count for as long as it went back, so they are
 * rewritten to `now`, whatever the verdict, and count for one window from here on.
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
 * The Unix second for `X-Service-RateLimit-Reset`: by then the request has left. `wall` is the wall clock at `now`,
 * where the log is not stamped by the wall clock itself.
 */
export function resetSecond(resetAt: number, now: number, wall: number = now): number {
  return Math.ceil((wall + resetAt - now) / 1000);
}

/** Index of the first stamp later than `time` in an ascending log. */
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
