import { HEADERS } from '../../contract/headers.ts';
import { parseRetryAfter } from '../../kit/retry-after.ts';

/** What a response says about the rate limit. A field is undefined if its header was missing or unreadable. */
export interface RateAnswer {
  readonly status: number;
  /** Requests per window. */
  readonly limit?: number | undefined;
  /** Requests left in the window after the service counted this one. */
  readonly remaining?: number | undefined;
  /** Time until the oldest counted request leaves the window, in ms. */
  readonly resetIn?: number | undefined;
  /** True if `resetIn` was computed from the service's own clock, so that neither clock skew nor latency distorts it. */
  readonly resetExact?: boolean | undefined;
  /** How long to wait before the next request, in ms. */
  readonly retryAfter?: number | undefined;
}

export type HeaderBag = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads the rate-limit headers of a response that arrived at `now` (Unix ms). Never throws: headers are untrusted. */
export function readRateAnswer(status: number, headers: HeaderBag, now: number): RateAnswer {
  const reset = whole(headers[HEADERS.reset]);
  const date = Date.parse(single(headers.date) ?? '');
  const sentAt = Number.isNaN(date) ? undefined : date;
  return {
    status,
    limit: whole(headers[HEADERS.limit]),
    remaining: whole(headers[HEADERS.remaining]),
    resetIn: reset === undefined ? undefined : resetIn(reset, sentAt ?? now),
    resetExact: reset !== undefined && (sentAt !== undefined || reset <= 1e9),
    retryAfter: retryAfterMs(headers[HEADERS.retryAfter], now),
  };
}

/**
 * Converts a `Reset` header to the time that is left, in ms, at least 0. A value above 10^12 is in Unix ms, above 10^9
 * in Unix seconds, else in seconds from now (docs/design-choices.md). `now` is the service's own time if its Date header
 * gives it.
 */
export function resetIn(value: number, now: number): number {
  if (value <= 1e9) return value * 1000;
  return Math.max(0, (value > 1e12 ? value : value * 1000) - now);
}

/** The longest wait that the client accepts, in ms: a later time might not fit in a date. */
const LONGEST_RETRY_AFTER_MS = 366 * 24 * 3600_000;

/** Parses the `Retry-After` header of the service into a wait in ms, at most a year. Ignores absurdly long numbers. */
export function retryAfterMs(
  header: string | readonly string[] | undefined,
  now: number,
): number | undefined {
  const text = single(header);
  if (text === undefined || /^\d{13}/.test(text)) return undefined;
  return parseRetryAfter(text, { now, longestMs: LONGEST_RETRY_AFTER_MS, fractions: true });
}

function whole(header: string | readonly string[] | undefined): number | undefined {
  const text = single(header);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function single(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header : header?.[0];
  return text?.trim();
}
