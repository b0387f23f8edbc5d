/** The latest time a Date can hold, in unix ms. */
const END_OF_TIME = 8.64e15;

/**
 * Reads a `Retry-After` header: whole seconds or an HTTP date (RFC 9110, 10.2.3).
 * Returns milliseconds from `now`, never negative, or null for a missing or unreadable value.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, END_OF_TIME - now);
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
