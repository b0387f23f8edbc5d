import { LONGEST_RETRY_AFTER_MS } from '../domain/deliveries/schedule.ts';

/**
 * Parses a `Retry-After` header: whole seconds or an HTTP date (RFC 9110, 10.2.3).
 * Returns milliseconds from `now`, from 0 to LONGEST_RETRY_AFTER_MS, or null for a missing or invalid value.
 */
export function parseRetryAfter(value: string | undefined, now: number): number | null {
  if (value === undefined) return null;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_RETRY_AFTER_MS);
  if (!/^[A-Za-z]{3,9},? /.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.min(Math.max(0, at - now), LONGEST_RETRY_AFTER_MS);
}
