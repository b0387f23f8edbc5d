import { MAX_INJECTIONS } from '../../contract/limits.ts';
import { type Detail, validate } from '../../contract/validation.ts';
import type { Clock } from '../../kit/clock.ts';
import type { Fetch } from '../http/server.ts';
import { post } from '../platform/egress/post.ts';
import type { Log } from '../platform/log.ts';
import { faultyDeliveries, type Post } from './deliveries.ts';
import { readFaults } from './parse.ts';
import { type FaultPlace, type Injected, MOST_RULES, type Note, Plan } from './plan.ts';
import { type CountFault, faultyAnswers } from './requests.ts';
import { type DeliveryRule, Faults, type RequestRule } from './schema.ts';

/** The two places where faults are injected: incoming requests and outgoing deliveries. */
export interface FaultInjection {
  serve(service: Fetch, count: CountFault): Fetch;
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
  /** When it was switched, added or changed, Unix ms; null if the file had it so. */
  readonly changedAt: number | null;
}

/** Shows and switches the rules of this process. */
export interface FaultControl {
  state(): FaultState[];
  /** How many faults were injected, also by rules that were removed. */
  injected(): number;
  /** The latest injections, the newest first. */
  latest(): readonly Injected[];
  /** True if no rule can be added. */
  isFull(): boolean;
  /** Returns false if there is no such rule. */
  switch(place: FaultPlace, index: number, on: boolean): boolean;
  /** What is wrong with a rule; empty for one that can be put. */
  problems(place: FaultPlace, rule: unknown): readonly Detail[];
  /** Adds a rule without problems until the process ends, or replaces the one with this number; returns as `switch`. */
  put(place: FaultPlace, rule: unknown, index?: number): boolean;
  /** Returns as `switch`. */
  remove(place: FaultPlace, index: number): boolean;
}

/** Loads a faults file and creates the injectors for it. Throws FaultsError. */
export function injectFaults(path: string, clock: Clock, log: Log): FaultInjection {
  const { seed, requests = [], deliveries = [] } = readFaults(path);
  log('warn', 'fault injection is active: requests and deliveries fail intentionally', {
    faults: path,
    seed,
  });
  const plans = {
    requests: new Plan<RequestRule>(requests, `${seed}/requests`, () => clock.now()),
    deliveries: new Plan<DeliveryRule>(deliveries, `${seed}/deliveries`, () => clock.now()),
  };
  const stateOf = (place: FaultPlace): FaultState[] =>
    plans[place].state().map((state) => ({ place, ...state }));
  const state = () => [...stateOf('requests'), ...stateOf('deliveries')];
  let latest: readonly Injected[] = [];
  const note: Note = (injected) => {
    const isSame = ({ place, fault }: Injected) => place === injected.place && fault === injected.fault;
    const oldest = latest.filter(isSame).length >= MAX_INJECTIONS ? latest.findLast(isSame) : undefined;
    latest = [{ at: clock.now(), ...injected }, ...latest.filter((each) => each !== oldest)];
  };
  return {
    serve: (service, count) => faultyAnswers(service, plans.requests, clock, log, note, count),
    deliver: faultyDeliveries(post, plans.deliveries, clock, log, note),
    control: {
      state,
      injected: () => plans.requests.injected + plans.deliveries.injected,
      latest: () => latest,
      isFull: () => state().length >= MOST_RULES,
      switch: (place, index, on) => {
        const found = plans[place].switch(index, on);
        if (found) log('warn', 'a rule of the faults file was switched', { place, index, on });
        return found;
      },
      problems: (place, rule) => {
        const checked = validate(Faults, { seed, [place]: [rule] });
        // Without the way to it: `requests.0.`
        const within = ({ field, message }: Detail) => ({
          field: field.split('.').slice(2).join('.'),
          message,
        });
        return checked.ok ? [] : checked.details.map(within);
      },
      put: (place, rule, index) => {
        const found =
          place === 'requests'
            ? plans.requests.put(rule as RequestRule, index)
            : plans.deliveries.put(rule as DeliveryRule, index);
        if (found) log('warn', 'a fault was added or changed', { place, index, rule });
        return found;
      },
      remove: (place, index) => {
        const found = plans[place].remove(index);
        if (found) log('warn', 'a fault was removed', { place, index });
        return found;
      },
    },
  };
}
