import { HEADERS } from '../../contract/headers.ts';

/** What an answer says about the rate limit. A field is missing where its header was, or made no sense. */
export interface RateAnswer {
  readonly status: number;
  /** Requests a window. */
  readonly limit?: number | undefined;
  /** Requests left in the window when the service counted this one. */
  readonly remaining?: number | undefined;
  /** When the oldest counted request leaves the window, in Unix ms by this machine's clock. */
  readonly reset?: number | undefined;
  /** How long to wait before the next request, in ms. */
  readonly retryAfter?: number | undefined;
}

export type HeaderBag = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads the rate-limit headers of an answer that arrived at `now` (Unix ms). Never throws: they are foreign text. */
export function readRateAnswer(status: number, headers: HeaderBag, now: number): RateAnswer {
  const reset = whole(headers[HEADERS.reset]);
  return {
    status,
    limit: whole(headers[HEADERS.limit]),
    remaining: whole(headers[HEADERS.remaining]),
    reset: reset === undefined ? undefined : resetTime(reset, now),
    retryAfter: retryAfterMs(headers[HEADERS.retryAfter], now),
  };
}

/** `Reset` in Unix ms: milliseconds above 10^12, Unix seconds above 10^9, else seconds from now (docs/decisions.md). */
export function resetTime(value: number, now: number): number {
  if (value > 1e12) return value;
  if (value > 1e9) return value * 1000;
  return now + value * 1000;
}

/** `Retry-After` as a wait in ms: seconds or an HTTP date (RFC 9110, 10.2.3). */
export function retryAfterMs(
  header: string | readonly string[] | undefined,
  now: number,
): number | undefined {
  const text = single(header);
  if (text === undefined) return undefined;
  if (/^\d{1,12}(\.\d{1,9})?$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Za-z]{3,9}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function whole(header: string | readonly string[] | undefined): number | undefined {
  const text = single(header);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function single(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header : header?.[0];
  return text?.trim();
}
