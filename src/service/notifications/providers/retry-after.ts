import { parseRetryAfter } from '../../../kit/retry-after.ts';
import { LONGEST_THROTTLE_MS } from '../rules/dispatch.ts';

/** How long an answer asks to wait, in ms; undefined if it does not say. */
export function retryAfterOf(
  answer: { readonly retryAfter: string | undefined },
  now: number,
): number | undefined {
  return parseRetryAfter(answer.retryAfter, { now, longestMs: LONGEST_THROTTLE_MS });
}
