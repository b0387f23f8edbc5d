import type { Group } from '../../contract/limits.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Interceptor } from '../exchange.ts';
import { type RateAnswer, readRateAnswer } from '../pacer/answer.ts';

/** Receives what each response says about the limit of its group. `now` is its time of arrival, in Unix ms. */
export type OnLimit = (group: Group, answer: RateAnswer, now: number) => void;

/** Passes the rate-limit headers of every response to `onLimit`. */
export function observe(onLimit: OnLimit, clock: Pick<Clock, 'now'>): Interceptor {
  return (next) => async (request) => {
    const answer = await next(request);
    const now = clock.now();
    if (request.group) onLimit(request.group, readRateAnswer(answer.status, answer.headers, now), now);
    return answer;
  };
}
