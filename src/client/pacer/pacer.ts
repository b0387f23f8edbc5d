import { WINDOW_MS } from '../../contract/limits.ts';
import type { RateAnswer } from './answer.ts';
import type { Sent } from './own-log.ts';
import { Pace, type PaceState } from './pace.ts';

/** The clock of a pacer. It must be monotonic: if the system time is set, slots would free too early. */
export interface PacerClock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface PacerOptions {
  readonly clock: PacerClock;
  readonly random: () => number;
  /** Length of the service's window, in ms. */
  readonly windowMs?: number;
  /** The part of the limit that this client may use, above 0 and at most 1. */
  readonly share?: number;
  /**
   * A person waits for each request: it is sent while there is room, without an even pace, and `acquire` rejects with
   * LimitReached where it would wait for longer than this, in ms.
   */
  readonly longestWaitMs?: number | undefined;
  /** Called once when a 429 pauses all requests, with the wait in ms. */
  readonly onPause?: ((waitMs: number) => void) | undefined;
}

/** Permission to send one request. Call exactly one of its methods, once. */
export interface Slot {
  /** Reports a response: its status and rate-limit headers, see `readRateAnswer`. */
  answered(answer: RateAnswer): void;
  /** Reports that no response arrived. `counted` is false if the request never reached the service. */
  failed(outcome?: { counted: boolean }): void;
}

/** The limit leaves no room for a request that cannot wait. It was not sent. */
export class LimitReached extends Error {
  /** When the next request can be sent, in ms from now. */
  readonly waitMs: number;
  constructor(waitMs: number) {
    super('the limit leaves no room for the request');
    this.name = 'LimitReached';
    this.waitMs = waitMs;
  }
}

interface Waiter {
  readonly give: (slot: Slot) => void;
  readonly refuse: (error: LimitReached) => void;
}

/** The longest single sleep, in ms: a timer of Node.js holds 31 bits. */
const LONGEST_SLEEP_MS = 3_600_000;

/** Admits requests in order of arrival, at the times that `Pace` allows. One per rate-limit group. */
export class Pacer {
  readonly #options: PacerOptions;
  readonly #pace: Pace;
  readonly #queue: Waiter[] = [];
  #expected: number | undefined;
  /** A period in which requests wait for the limit and for nothing else. */
  #holding: { readonly since: number; readonly until: number } | undefined;
  #throttledMs = 0;
  #sleeping: { readonly until: number; readonly controller: AbortController } | undefined;

  constructor(options: PacerOptions) {
    this.#options = options;
    this.#expected = options.longestWaitMs === undefined ? undefined : 0;
    this.#pace = new Pace({
      windowMs: options.windowMs ?? WINDOW_MS,
      share: options.share ?? 1,
      random: options.random,
    });
  }

  /** Sets how many requests are still to be sent, or Infinity if unknown. A job that fits is sent as a burst. */
  expect(requests: number): void {
    this.#expected = requests;
    this.#pump();
  }

  /** Waits for permission to send one request. Rejects with the signal's reason if it fires first, or LimitReached. */
  acquire(signal?: AbortSignal): Promise<Slot> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const waiter: Waiter = {
        give: (slot) => {
          signal?.removeEventListener('abort', cancel);
          resolve(slot);
        },
        refuse: (error) => {
          signal?.removeEventListener('abort', cancel);
          reject(error);
        },
      };
      const cancel = () => {
        const index = this.#queue.indexOf(waiter);
        if (index >= 0) this.#queue.splice(index, 1);
        if (this.#queue.length === 0) this.#idle();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      this.#queue.push(waiter);
      this.#pump();
    });
  }

  state(): PaceState {
    return this.#pace.state(this.#options.clock.now());
  }

  /**
   * Total time in which requests waited only because of the limit, in ms. Time in which several wait counts once, and
   * waiting for the response that will show the limit does not count.
   */
  get throttledMs(): number {
    return this.#throttledMs + (this.#holding ? lengthOf(this.#holding, this.#options.clock.now()) : 0);
  }

  #pump(): void {
    const { clock } = this.#options;
    while (this.#queue.length > 0) {
      const now = clock.now();
      const at = this.#pace.ask(now, this.#pending(now));
      if (at < Infinity && at - now > (this.#options.longestWaitMs ?? Infinity)) {
        for (const waiter of this.#queue.splice(0)) waiter.refuse(new LimitReached(at - now));
        break;
      }
      if (at > now) {
        this.#hold(now, at);
        this.#sleepUntil(at, now);
        return;
      }
      if (this.#expected !== undefined) this.#expected = Math.max(0, this.#expected - 1);
      this.#queue.shift()!.give(this.#slot(this.#pace.sent(now)));
    }
    this.#idle();
  }

  /** Ends the current waiting period, and begins another if `until` is a known time in the future. */
  #hold(now: number, until: number): void {
    if (this.#holding) this.#throttledMs += lengthOf(this.#holding, now);
    this.#holding = until > now && until < Infinity ? { since: now, until } : undefined;
  }

  /** Called when the queue is empty. */
  #idle(): void {
    const now = this.#options.clock.now();
    this.#hold(now, now);
    this.#wake();
  }

  /** Returns how many requests are still to be sent at least. Without `expect`, assumes as many as were sent recently. */
  #pending(now: number): number {
    return Math.max(this.#expected ?? this.#pace.state(now).own, this.#queue.length);
  }

  #slot(request: Sent): Slot {
    const settle = (record: (now: number) => void) => {
      record(this.#options.clock.now());
      this.#pump();
    };
    return {
      answered: (answer) =>
        settle((now) => {
          const before = this.#pace.state(now).pausedUntil;
          this.#pace.answered(request, now, answer);
          const after = this.#pace.state(now).pausedUntil;
          if (before === undefined && after !== undefined) this.#options.onPause?.(after - now);
        }),
      failed: (outcome) => settle((now) => this.#pace.failed(request, now, outcome?.counted ?? true)),
    };
  }

  #sleepUntil(at: number, now: number): void {
    if (this.#sleeping?.until === at) return;
    this.#wake();
    if (at === Infinity) return;
    const controller = new AbortController();
    const sleeping = { until: at, controller };
    this.#sleeping = sleeping;
    this.#options.clock.sleep(Math.min(at - now, LONGEST_SLEEP_MS), controller.signal).then(
      () => {
        if (this.#sleeping !== sleeping) return;
        this.#sleeping = undefined;
        this.#pump();
      },
      () => undefined,
    );
  }

  /** Cancels the current sleep, if any, so that no timer keeps the process alive. */
  #wake(): void {
    this.#sleeping?.controller.abort();
    this.#sleeping = undefined;
  }
}

/** Length of a waiting period until `now`; a timer that fires late does not count. */
function lengthOf({ since, until }: { since: number; until: number }, now: number): number {
  return Math.max(0, Math.min(now, until) - since);
}
