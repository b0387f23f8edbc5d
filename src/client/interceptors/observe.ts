import type { Group } from '../../contract/limits.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Interceptor } from '../exchange.ts';
import { type RateAnswer, readRateAnswer } from '../pacer/answer.ts';

/** Told what each answer says about the limit of its group. `now` is when it arrived, in Unix ms. */
export type SeeLimit = (group: Group, answer: RateAnswer, now: number) => void;

/** Hands on the rate-limit headers of every answer. */
export function observe(see: SeeLimit, clock: Pick<Clock, 'now'>): Interceptor {
  return (next) => async (request) => {
    const answer = await next(request);
    const now = clock.now();
    if (request.group) see(request.group, readRateAnswer(answer.status, answer.headers, now), now);
    return answer;
  };
}
