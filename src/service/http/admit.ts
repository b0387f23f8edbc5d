import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import type { Group } from '../../contract/limits.ts';
import type { Clock } from '../../kit/clock.ts';
import { resetSecond } from '../domain/sliding-window.ts';
import type { Policy } from '../policy.ts';
import { admit } from '../store/admissions.ts';
import type { Store } from '../store/store.ts';

/** Counts a request against its group's limit and sets the limit headers. Throws rate_limited. */
export type Admit = (workspaceId: string, group: Group, headers: Headers) => Promise<void>;

/** Ties the sliding window of the store to HTTP (specification: Limits, Errors). */
export function rateLimiter(
  store: Store,
  policy: () => Policy,
  clock: Clock,
  limiterNow: () => number,
): Admit {
  return async (workspaceId, group, headers) => {
    const { limits, windowMs } = policy();
    const limit = limits[group];
    if (limit === null) return;
    const at = limiterNow();
    const verdict = await store.write((tx) => admit(tx, workspaceId, group, { limit, windowMs, at }), {
      durable: false,
    });
    headers.set(HEADERS.limit, String(limit));
    headers.set(HEADERS.remaining, String(verdict.remaining));
    headers.set(HEADERS.reset, String(resetSecond(verdict.resetAt, at, clock.now())));
    if (!verdict.admitted) {
      throw new ServiceError('rate_limited', undefined, undefined, {
        [HEADERS.retryAfter]: String(verdict.retryAfter),
      });
    }
  };
}
