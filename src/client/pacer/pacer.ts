import { WINDOW_MS } from '../../contract/limits.ts';
import type { RateAnswer } from './answer.ts';
import type { Sent } from './own-log.ts';
import { Pace, type PaceState } from './pace.ts';

/** The clock of a pacer. `now` must not be moved by setting the machine's time, or slots free too early. */
export interface PacerClock {
  now(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface PacerOptions {
  readonly clock: PacerClock;
  readonly random: () => number;
  /** Length of the service's window, in ms. */
  readonly windowMs?: number;
  /** The part of the limit that may be used, above 0 and at most 1. */
  readonly share?: number;
  /** Told once when a 429 stops all requests, with the wait in ms. */
  readonly onPause?: ((waitMs: number) => void) | undefined;
}

/** Leave to send one request. Exactly one of its methods must be called, once. */
export interface Slot {
  /** An answer arrived: its status and rate-limit headers, see `readRateAnswer`. */
  answered(answer: RateAnswer): void;
  /** No answer arrived. `counted` false says that the request surely never reached the service. */
  failed(outcome?: { counted: boolean }): void;
}

interface Waiter {
  readonly give: (slot: Slot) => void;
}

/** The longest that is slept in one piece, in ms: a timer of Node holds 31 bits. */
const LONGEST_SLEEP_MS = 3_600_000;

/** Hands out leave to send, first come first served, at the moments that `Pace` allows. One per rate-limit group. */
export class Pacer {
  readonly #options: PacerOptions;
  readonly #pace: Pace;
  readonly #waiting: Waiter[] = [];
  #toCome: number | undefined;
  /** A stretch in which requests wait for the limit and for nothing else: since when, and until when at most. */
  #holding: { readonly since: number; readonly until: number } | undefined;
  #heldMs = 0;
  #sleeping: { readonly until: number; readonly controller: AbortController } | undefined;

  constructor(options: PacerOptions) {
    this.#options = options;
    this.#pace = new Pace({
      windowMs: options.windowMs ?? WINDOW_MS,
      share: options.share ?? 1,
      random: options.random,
    });
  }

  /** Says how many requests are still to come; Infinity when that is not known. Decides whether a burst is polite. */
  expect(requests: number): void {
    this.#toCome = requests;
    this.#pump();
  }

  /** Waits for leave to send one request. Rejects with the signal's reason when that fires first. */
  acquire(signal?: AbortSignal): Promise<Slot> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const waiter: Waiter = {
        give: (slot) => {
          signal?.removeEventListener('abort', leave);
          resolve(slot);
        },
      };
      const leave = () => {
        const index = this.#waiting.indexOf(waiter);
        if (index >= 0) this.#waiting.splice(index, 1);
        if (this.#waiting.length === 0) this.#rest();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiter);
      this.#pump();
    });
  }

  state(): PaceState {
    return this.#pace.state(this.#options.clock.now());
  }

  /**
   * How long requests have waited here that only the limit kept from leaving, in ms: each moment counts once, however
   * many wait. Waiting for an answer that will show the limit does not count.
   */
  get heldMs(): number {
    return this.#heldMs + (this.#holding ? stretch(this.#holding, this.#options.clock.now()) : 0);
  }

  #pump(): void {
    const { clock } = this.#options;
    while (this.#waiting.length > 0) {
      const now = clock.now();
      const at = this.#pace.ask(now, this.#job(now));
      if (at > now) {
        this.#hold(now, at);
        this.#sleepUntil(at, now);
        return;
      }
      if (this.#toCome !== undefined) this.#toCome = Math.max(0, this.#toCome - 1);
      this.#waiting.shift()!.give(this.#slot(this.#pace.sent(now)));
    }
    this.#rest();
  }

  /** Ends the stretch under way, and begins one where the limit is to be waited for until a time that is known. */
  #hold(now: number, until: number): void {
    if (this.#holding) this.#heldMs += stretch(this.#holding, now);
    this.#holding = until > now && until < Infinity ? { since: now, until } : undefined;
  }

  /** Nobody waits. */
  #rest(): void {
    const now = this.#options.clock.now();
    this.#hold(now, now);
    this.#wake();
  }

  /** How many requests are to come, at least. Where nobody said it: as many again as there were lately. */
  #job(now: number): number {
    return Math.max(this.#toCome ?? this.#pace.state(now).own, this.#waiting.length);
  }

  #slot(request: Sent): Slot {
    const settle = (how: (now: number) => void) => {
      how(this.#options.clock.now());
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

  /** Ends the sleep under way, if any, so that nothing keeps the process alive. */
  #wake(): void {
    this.#sleeping?.controller.abort();
    this.#sleeping = undefined;
  }
}

/** A late timer is not the limit's doing. */
function stretch({ since, until }: { since: number; until: number }, now: number): number {
  return Math.max(0, Math.min(now, until) - since);
}
