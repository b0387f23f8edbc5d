/**
 * Simulates clients and a service with an exact sliding window on a virtual clock that jumps to the next event. Latencies
 * are per client, so answers may arrive in another order.
 */
import type { RateAnswer } from '../../../src/client/pacer/answer.ts';
import type { Sent } from '../../../src/client/pacer/own-log.ts';
import { Pace, type PaceOptions } from '../../../src/client/pacer/pace.ts';
import { admit, resetSecond } from '../../../src/service/platform/limits/sliding-window.ts';

export interface Counters {
  sent: number;
  accepted: number;
  refused: number;
}

type Event = { at: number; order: number; run: () => void };

export class Simulation {
  /** Unix ms. */
  now = 1_700_000_000_000;
  readonly start = this.now;
  /** Infinity admits every request, without rate-limit headers. */
  limit: number;
  readonly windowMs: number;
  /** `none` sends no rate-limit headers; `retry` sends only Retry-After on a 429. */
  headers: 'all' | 'retry' | 'none' = 'all';
  /** A refusal that is independent of the window, with Retry-After of one second. */
  trouble: () => boolean = () => false;
  #log: number[] = [];
  #events: Event[] = [];
  #order = 0;

  constructor(limit: number, windowMs = 60_000) {
    this.limit = limit;
    this.windowMs = windowMs;
  }

  at(time: number, run: () => void): void {
    const event = { at: Math.max(time, this.now), order: this.#order++, run };
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#events[middle]!.at <= event.at) low = middle + 1;
      else high = middle;
    }
    this.#events.splice(low, 0, event);
  }

  /** Runs until `duration` ms have passed since the start. */
  run(duration: number): void {
    const end = this.start + duration;
    for (;;) {
      const event = this.#events[0];
      if (event === undefined || event.at > end) break;
      this.#events.shift();
      this.now = event.at;
      event.run();
    }
    this.now = end;
  }

  /** A request arrives at the service. */
  receive(): RateAnswer {
    if (this.trouble()) return { status: 429, retryAfter: this.headers === 'none' ? undefined : 1000 };
    if (this.limit === Number.POSITIVE_INFINITY) return { status: 202, resetExact: true };
    const { verdict, log } = admit(this.#log, this.now, this.windowMs, this.limit);
    this.#log = log;
    // Like a Date header, in whole seconds.
    const date = Math.floor(this.now / 1000) * 1000;
    return {
      status: verdict.admitted ? 202 : 429,
      limit: this.headers === 'all' ? this.limit : undefined,
      remaining: this.headers === 'all' ? verdict.remaining : undefined,
      resetIn: this.headers === 'all' ? resetSecond(verdict.resetAt, this.now) * 1000 - date : undefined,
      resetExact: true,
      retryAfter: this.headers !== 'none' && verdict.retryAfter ? verdict.retryAfter * 1000 : undefined,
    };
  }

  /** Fills the window with requests of other clients that were admitted at these ages (ms ago). */
  used(ages: readonly number[]): void {
    this.#log = ages.map((age) => this.now - age).sort((a, b) => a - b);
  }
}

export interface PacedOptions {
  readonly latency: () => { there: number; back: number };
  readonly random: () => number;
  readonly concurrency?: number;
  readonly share?: number;
  readonly job?: number;
  /** The result of an exchange: `lost` after the service counted it, `unsent` before it arrived. */
  readonly fate?: () => 'answered' | 'lost' | 'unsent';
  readonly startAfter?: number;
  /** The window that the client assumes without rate-limit headers. */
  readonly windowMs?: number;
}

/** A client that always has work and sends as soon as its pacer allows. */
export function pacedClient(simulation: Simulation, options: PacedOptions): Counters & { pace: Pace } {
  const paceOptions: PaceOptions = {
    windowMs: options.windowMs ?? simulation.windowMs,
    share: options.share ?? 1,
    random: options.random,
  };
  const pace = new Pace(paceOptions);
  const counters = { sent: 0, accepted: 0, refused: 0, pace };
  const concurrency = options.concurrency ?? 8;
  const job = options.job ?? Infinity;
  let inFlight = 0;
  let wake = -1;

  function pump(): void {
    while (inFlight < concurrency && counters.accepted + inFlight < job) {
      const at = pace.ask(simulation.now, job - counters.accepted - inFlight);
      if (at > simulation.now) {
        const mine = ++wake;
        if (at !== Infinity) simulation.at(at, () => mine === wake && pump());
        return;
      }
      send(pace.sent(simulation.now));
    }
  }

  function send(request: Sent): void {
    inFlight++;
    counters.sent++;
    const { there, back } = options.latency();
    const fate = options.fate?.() ?? 'answered';
    simulation.at(simulation.now + there, () => {
      const answer = fate === 'unsent' ? undefined : simulation.receive();
      simulation.at(simulation.now + back, () => {
        inFlight--;
        if (answer?.status === 429) counters.refused++;
        else if (answer !== undefined) counters.accepted++;
        if (answer === undefined || fate === 'lost') pace.failed(request, simulation.now, fate === 'lost');
        else pace.answered(request, simulation.now, answer);
        pump();
      });
    });
  }

  simulation.at(simulation.now + (options.startAfter ?? 0), pump);
  return counters;
}

/** A client without pacing: requests at random times (Poisson), on average `perWindow` per window. */
export function unpacedClient(simulation: Simulation, perWindow: number, random: () => number): Counters {
  const counters = { sent: 0, accepted: 0, refused: 0 };
  const next = () => {
    const gap = (-Math.log(1 - random()) * simulation.windowMs) / perWindow;
    simulation.at(simulation.now + gap, () => {
      counters.sent++;
      if (simulation.receive().status === 429) counters.refused++;
      else counters.accepted++;
      next();
    });
  };
  next();
  return counters;
}
