import type { Group } from '../../contract/limits.ts';
import { TransportError } from '../errors.ts';
import type { Incoming, Interceptor } from '../exchange.ts';
import { readRateAnswer } from '../pacer/answer.ts';
import { LimitReached, type Pacer, type PacerClock, type Slot } from '../pacer/pacer.ts';

/** Delays each request until the pacer of its group admits it, and reports the outcome to the pacer. */
export function pace(pacerOf: (group: Group) => Pacer, clock: Pick<PacerClock, 'now'>): Interceptor {
  return (next) => async (request) => {
    if (request.group === undefined) return next(request);
    let slot: Slot;
    try {
      slot = await pacerOf(request.group).acquire(request.waiting ?? request.signal);
    } catch (error) {
      if (error instanceof LimitReached) throw error;
      throw new TransportError('aborted', false, 'the request was interrupted', error);
    }
    let answer: Incoming;
    try {
      answer = await next(request);
    } catch (error) {
      slot.failed({ counted: !(error instanceof TransportError) || error.sent });
      throw error;
    }
    slot.answered(readRateAnswer(answer.status, answer.headers, clock.now()));
    return answer;
  };
}
