import { HEADERS } from '../../contract/headers.ts';
import type { Group } from '../../contract/limits.ts';
import type { Interceptor } from '../exchange.ts';

/** The rate-limit headers of one answer (specification: Limits). */
export interface SeenLimit {
  readonly group: Group;
  readonly limit: number;
  readonly remaining: number;
  /** As it came: its unit is not specified. */
  readonly reset: number | undefined;
}

/** Hands on the rate-limit headers of every answer that has them. */
export function observe(seen: (limit: SeenLimit) => void): Interceptor {
  return (next) => async (request) => {
    const answer = await next(request);
    const number = (name: string) => {
      const text = answer.headers[name];
      return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
    };
    const limit = number(HEADERS.limit);
    const remaining = number(HEADERS.remaining);
    if (request.group && limit !== undefined && remaining !== undefined) {
      seen({ group: request.group, limit, remaining, reset: number(HEADERS.reset) });
    }
    return answer;
  };
}
