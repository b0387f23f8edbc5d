import type { Precedence } from '../../platform/precedence.ts';

/** The time that streams may take together, as a share of the time that everything else took since their last turns. */
const SHARE = 0.05;
/** Most time of turns between two pieces of other work, in ms. */
const MAX_MS = 10;

/**
 * Paces the event streams of a process: what all of them do, to read a page or to send a chunk, is done in turns, in
 * order. Together they are one piece of bulk work (Precedence) and take a twentieth of the time while there is other
 * work, however many they are; without other work they take all of it.
 */
export class StreamTurns {
  readonly #precedence: Precedence;
  readonly #first: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  #running = false;

  constructor(precedence: Precedence) {
    this.#precedence = precedence;
  }

  /**
   * Resolves when it is the caller's turn, which lasts until it waits for something else than a promise of its own.
   * Streams whose client `reads` come before all others.
   */
  next(reads: boolean): Promise<void> {
    return new Promise((start) => {
      (reads ? this.#first : this.#waiting).push(start);
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    let ended = performance.now();
    while (this.#first.length + this.#waiting.length > 0) {
      await this.#precedence.yieldToRequests();
      const started = performance.now();
      const share = Math.min(MAX_MS, (started - ended) * SHARE);
      while (this.#first.length + this.#waiting.length > 0) {
        (this.#first.shift() ?? this.#waiting.shift())!();
        // After all that the turn does with promises, and after the socket was written, which Node does a tick later.
        await new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)));
        ended = performance.now();
        if (ended - started >= share) break;
      }
    }
    this.#running = false;
  }
}
