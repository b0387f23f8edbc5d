/**
 * Clients and a service with an exact sliding window on a virtual clock: nothing waits, time jumps to the next event.
 * Latencies come from the clients, so answers may overtake each other.
 */
import type { RateAnswer } from '../../../src/client/pacer/answer.ts';
import type { Sent } from '../../../src/client/pacer/own-log.ts';
import { Pace, type PaceOptions } from '../../../src/client/pacer/pace.ts';
import { admit, resetSecond } from '../../../src/service/domain/sliding-window.ts';

export interface Tally {
  sent: number;
  accepted: number;
  refused: number;
}

type Event = { at: number; order: number; run: () => void };

export class Simulation {
  /** Unix ms. */
  now = 1_700_000_000_000;
  readonly start = this.now;
  limit: number;
  readonly windowMs: number;
  /** `none` answers without any rate-limit header; `retry` only with Retry-After on a 429. */
  headers: 'all' | 'retry' | 'none' = 'all';
  /** A refusal that has nothing to do with the window; it invites back after a second. */
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

  /** A request reaches the service now. */
  receive(): RateAnswer {
    if (this.trouble()) return { status: 429, retryAfter: this.headers === 'none' ? undefined : 1000 };
    const { verdict, log } = admit(this.#log, this.now, this.windowMs, this.limit);
    this.#log = log;
    // As from a Date header, which holds whole seconds.
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

  /** The window as it would be if `count` requests of others had been let through at these ages (ms ago). */
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
  /** How an exchange ends: `lost` after the service counted it, `unsent` before it was reached. */
  readonly fate?: () => 'answered' | 'lost' | 'unsent';
  readonly startAfter?: number;
  /** The window that the client believes in, unless it is told otherwise. */
  readonly windowMs?: number;
}

/** A client that always has work and sends whenever its pacer lets it. */
export function pacedClient(simulation: Simulation, options: PacedOptions): Tally & { pace: Pace } {
  const paceOptions: PaceOptions = {
    windowMs: options.windowMs ?? simulation.windowMs,
    share: options.share ?? 1,
    random: options.random,
  };
  const pace = new Pace(paceOptions);
  const tally = { sent: 0, accepted: 0, refused: 0, pace };
  const concurrency = options.concurrency ?? 8;
  const job = options.job ?? Infinity;
  let inFlight = 0;
  let wake = -1;

  function pump(): void {
    while (inFlight < concurrency && tally.accepted + inFlight < job) {
      const at = pace.ask(simulation.now, job - tally.accepted - inFlight);
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
    tally.sent++;
    const { there, back } = options.latency();
    const fate = options.fate?.() ?? 'answered';
    simulation.at(simulation.now + there, () => {
      const answer = fate === 'unsent' ? undefined : simulation.receive();
      simulation.at(simulation.now + back, () => {
        inFlight--;
        if (answer?.status === 429) tally.refused++;
        else if (answer !== undefined) tally.accepted++;
        if (answer === undefined || fate === 'lost') pace.failed(request, simulation.now, fate === 'lost');
        else pace.answered(request, simulation.now, answer);
        pump();
      });
    });
  }

  simulation.at(simulation.now + (options.startAfter ?? 0), pump);
  return tally;
}

/** A client that does not pace: requests at random moments (Poisson), `perWindow` of them on average. */
export function unpacedClient(simulation: Simulation, perWindow: number, random: () => number): Tally {
  const tally = { sent: 0, accepted: 0, refused: 0 };
  const next = () => {
    const gap = (-Math.log(1 - random()) * simulation.windowMs) / perWindow;
    simulation.at(simulation.now + gap, () => {
      tally.sent++;
      if (simulation.receive().status === 429) tally.refused++;
      else tally.accepted++;
      next();
    });
  };
  next();
  return tally;
}
