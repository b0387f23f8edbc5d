import { HEADERS } from '../../contract/headers.ts';

/** What an answer says about the rate limit. A field is missing where its header was, or made no sense. */
export interface RateAnswer {
  readonly status: number;
  /** Requests a window. */
  readonly limit?: number | undefined;
  /** Requests left in the window when the service counted this one. */
  readonly remaining?: number | undefined;
  /** How long until the oldest counted request leaves the window, in ms. */
  readonly resetIn?: number | undefined;
  /** True where `resetIn` was reckoned on the service's clock alone, so that no clock or delay distorts it. */
  readonly resetExact?: boolean | undefined;
  /** How long to wait before the next request, in ms. */
  readonly retryAfter?: number | undefined;
}

export type HeaderBag = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Reads the rate-limit headers of an answer that arrived at `now` (Unix ms). Never throws: they are foreign text. */
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
 * The time until `Reset`, in ms, at least 0. Above 10^12 it is in milliseconds, above 10^9 in Unix seconds, else in
 * seconds from now (docs/decisions.md). `now` is best the service's own, from its Date header.
 */
export function resetIn(value: number, now: number): number {
  if (value <= 1e9) return value * 1000;
  return Math.max(0, (value > 1e12 ? value : value * 1000) - now);
}

/** A longer Retry-After is taken as this long, in ms: the time that it names is still one that can be written. */
const LONGEST_RETRY_AFTER_MS = 366 * 24 * 3600_000;

/** `Retry-After` as a wait in ms, at most a year: seconds or an HTTP date (RFC 9110, 10.2.3). */
export function retryAfterMs(
  header: string | readonly string[] | undefined,
  now: number,
): number | undefined {
  const text = single(header);
  if (text === undefined) return undefined;
  if (/^\d{1,12}(\.\d{1,9})?$/.test(text)) return Math.min(LONGEST_RETRY_AFTER_MS, Number(text) * 1000);
  const date = /^[A-Za-z]{3,9}, /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, date - now));
}

function whole(header: string | readonly string[] | undefined): number | undefined {
  const text = single(header);
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function single(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header : header?.[0];
  return text?.trim();
}
