import type { Clock } from '../../kit/clock.ts';
import type { Fetch } from '../http/server.ts';
import { post } from '../platform/egress/post.ts';
import type { Log } from '../platform/log.ts';
import { faultyDeliveries, type Post } from './deliveries.ts';
import { readFaults } from './parse.ts';
import { Plan } from './plan.ts';
import { faultyAnswers } from './requests.ts';
import type { DeliveryRule, RequestRule } from './schema.ts';

/** The two places where faults are injected: incoming requests and outgoing deliveries. */
export interface FaultInjection {
  serve(service: Fetch): Fetch;
  readonly deliver: Post;
  readonly control: FaultControl;
}

/** A rule of the faults file, as it is now. */
interface FaultState {
  readonly place: FaultPlace;
  /** Its number in its place, from 0. */
  readonly index: number;
  readonly rule: RequestRule | DeliveryRule;
  /** Requests or deliveries that it matched. */
  readonly seen: number;
  /** How often it was injected. */
  readonly hits: number;
  readonly on: boolean;
}

type FaultPlace = 'requests' | 'deliveries';

/** Shows and switches the rules of this process. */
export interface FaultControl {
  state(): FaultState[];
  /** Returns false if there is no such rule. */
  switch(place: FaultPlace, index: number, on: boolean): boolean;
}

/** Loads a faults file and creates the injectors for it. Throws FaultsError. */
export function injectFaults(path: string, clock: Clock, log: Log): FaultInjection {
  const { seed, requests = [], deliveries = [] } = readFaults(path);
  log('warn', 'fault injection is active: requests and deliveries fail intentionally', {
    faults: path,
    seed,
  });
  const plans = {
    requests: new Plan<RequestRule>(requests, `${seed}/requests`),
    deliveries: new Plan<DeliveryRule>(deliveries, `${seed}/deliveries`),
  };
  const stateOf = (place: FaultPlace): FaultState[] =>
    plans[place].state().map((state, index) => ({ place, index, ...state }));
  return {
    serve: (service) => faultyAnswers(service, plans.requests, clock, log),
    deliver: faultyDeliveries(post, plans.deliveries, clock, log),
    control: {
      state: () => [...stateOf('requests'), ...stateOf('deliveries')],
      switch: (place, index, on) => {
        const found = plans[place].switch(index, on);
        if (found) log('warn', 'a rule of the faults file was switched', { place, index, on });
        return found;
      },
    },
  };
}
