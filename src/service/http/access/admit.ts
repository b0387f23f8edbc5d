import { ServiceError } from '../../../contract/errors.ts';
import { HEADERS } from '../../../contract/headers.ts';
import { type Group, UNLIMITED } from '../../../contract/limits.ts';
import type { Clock } from '../../../kit/clock.ts';
import type { Limiter } from '../../platform/limits/limiter.ts';
import { resetSecond } from '../../platform/limits/sliding-window.ts';
import type { Policy } from '../../platform/settings.ts';
import type { AnswerHeaders } from '../answer-headers.ts';

/**
 * Counts a request against its group's limit and sets the limit headers. Returns the limiter time at which the request
 * counts, in ms, or undefined if the group has no limit. Throws rate_limited.
 */
export type Admit = (
  workspaceId: string,
  group: Group,
  headers: AnswerHeaders,
) => Promise<number | undefined>;

/** Applies the sliding window to HTTP requests (specification: Limits, Errors). */
export function rateLimiter(limiter: Limiter, policy: () => Policy, clock: Pick<Clock, 'now'>): Admit {
  return async (workspaceId, group, headers) => {
    const { limits, windowMs } = policy();
    const limit = limits[group];
    if (limit === null) {
      headers.set(HEADERS.limit, String(UNLIMITED));
      headers.set(HEADERS.remaining, String(UNLIMITED));
      headers.set(HEADERS.reset, String(Math.floor(clock.now() / 1000)));
      return undefined;
    }
    const { verdict, at, wall } = await limiter(workspaceId, group, { limit, windowMs });
    headers.set(HEADERS.limit, String(limit));
    headers.set(HEADERS.remaining, String(verdict.remaining));
    headers.set(HEADERS.reset, String(resetSecond(verdict.resetAt, at, wall)));
    if (!verdict.admitted) {
      throw new ServiceError('rate_limited', undefined, undefined, {
        [HEADERS.retryAfter]: String(verdict.retryAfter),
      });
    }
    return at;
  };
}
