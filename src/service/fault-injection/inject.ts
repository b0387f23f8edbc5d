import type { Clock } from '../../kit/clock.ts';
import { post } from '../egress/post.ts';
import type { Fetch } from '../http/server.ts';
import type { Log } from '../log.ts';
import { faultyDeliveries, type Post } from './deliveries.ts';
import { readFaults } from './parse.ts';
import { Plan } from './plan.ts';
import { faultyAnswers } from './requests.ts';

/** The two places where faults are injected: incoming requests and outgoing deliveries. */
export interface FaultInjection {
  serve(service: Fetch): Fetch;
  readonly deliver: Post;
}

/** Loads a faults file and creates the injectors for it. Throws FaultsError. */
export function injectFaults(path: string, clock: Clock, log: Log): FaultInjection {
  const { seed, requests = [], deliveries = [] } = readFaults(path);
  log('warn', 'fault injection is active: requests and deliveries fail intentionally', {
    faults: path,
    seed,
  });
  return {
    serve: (service) => faultyAnswers(service, new Plan(requests, `${seed}/requests`), clock, log),
    deliver: faultyDeliveries(post, new Plan(deliveries, `${seed}/deliveries`), clock, log),
  };
}
