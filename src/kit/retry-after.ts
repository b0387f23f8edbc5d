/** The longest wait that a receiver of deliveries can ask for, in ms: a week. */
export const LONGEST_RETRY_AFTER_MS = 7 * 24 * 3_600_000;

export interface RetryAfterOptions {
  /** Unix ms; the base of a wait that is given as a date. */
  readonly now: number;
  /** A longer wait is cut to this, in ms. */
  readonly longestMs: number;
  /** Also accepts a fraction of a second, which RFC 9110 does not allow but some services send. */
  readonly fractions?: boolean;
}

/**
 * Parses a `Retry-After` header (RFC 9110, 10.2.3: whole seconds or an HTTP date) into a wait in ms, at least 0.
 * Undefined for a missing or unreadable value. Of a repeated header the first value counts.
 */
export function parseRetryAfter(
  header: string | readonly string[] | undefined,
  { now, longestMs, fractions = false }: RetryAfterOptions,
): number | undefined {
  const text = (typeof header === 'string' ? header : header?.[0])?.trim() ?? '';
  const wait =
    SECONDS.test(text) && (fractions || !text.includes('.')) ? Number(text) * 1000 : untilDate(text, now);
  return wait === undefined ? undefined : Math.min(wait, longestMs);
}

const SECONDS = /^\d+(\.\d+)?$/;

function untilDate(text: string, now: number): number | undefined {
  const date = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
