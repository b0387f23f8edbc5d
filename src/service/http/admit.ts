import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import type { Group } from '../../contract/limits.ts';
import type { Clock } from '../../kit/clock.ts';
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
    const admission = await store.write(
      (tx) => admit(tx, workspaceId, group, { limit, windowMs, at: limiterNow() }),
      {
        durable: false,
      },
    );
    headers.set(HEADERS.limit, String(admission.limit));
    headers.set(HEADERS.remaining, String(admission.remaining));
    headers.set(HEADERS.reset, String(Math.ceil((clock.now() + admission.resetInMs) / 1000)));
    if (!admission.allowed) {
      throw new ServiceError('rate_limited', undefined, undefined, {
        [HEADERS.retryAfter]: String(admission.retryAfter),
      });
    }
  };
}
