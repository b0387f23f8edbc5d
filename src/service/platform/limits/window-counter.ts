/**
 * An approximate sliding window of constant size, for limits of which there are many (one a user, one an address). It
 * counts two windows that follow each other, and weighs the earlier one by how much of it the sliding window still covers.
 */
export interface WindowCount {
  /** Start of the current window, in ms. */
  readonly start: number;
  readonly current: number;
  readonly previous: number;
}

export interface CountedRequest {
  readonly count: WindowCount;
  readonly admitted: boolean;
  /** Requests left, at least 0. */
  readonly remaining: number;
  /** Whole seconds to wait, at least 1; 0 when admitted. */
  readonly retryAfter: number;
}

/** Decides one request at `now`, in ms. Refused requests do not count. `limit` is a positive integer. */
export function countRequest(
  before: WindowCount | undefined,
  now: number,
  windowMs: number,
  limit: number,
): CountedRequest {
  const count = advanced(before, now, windowMs);
  const share = (now - count.start) / windowMs;
  const free = limit - count.current - Math.floor(count.previous * (1 - share));
  if (free >= 1) {
    return {
      count: { ...count, current: count.current + 1 },
      admitted: true,
      remaining: free - 1,
      retryAfter: 0,
    };
  }
  return {
    count,
    admitted: false,
    remaining: 0,
    retryAfter: Math.max(1, Math.ceil(waitMs(count, share, windowMs, limit) / 1000)),
  };
}

/** Takes back one counted request. */
export function uncountRequest(count: WindowCount): WindowCount {
  return count.current > 0
    ? { ...count, current: count.current - 1 }
    : { ...count, previous: Math.max(0, count.previous - 1) };
}

function advanced(before: WindowCount | undefined, now: number, windowMs: number): WindowCount {
  // A clock that was set back starts a new window rather than to lock somebody out.
  if (!before || now < before.start || now >= before.start + 2 * windowMs)
    return { start: now, current: 0, previous: 0 };
  if (now < before.start + windowMs) return before;
  return { start: before.start + windowMs, current: 0, previous: before.current };
}

/** Time until one more request is admitted, if none comes before. */
function waitMs({ current, previous }: WindowCount, share: number, windowMs: number, limit: number): number {
  // How much of the earlier window must have left before a request fits beside `others`.
  const gone = (earlier: number, others: number) => Math.max(0, 1 - (limit - others) / earlier);
  const wait = current < limit ? gone(previous, current) - share : 1 - share + gone(current, 0);
  return wait * windowMs + 1;
}
