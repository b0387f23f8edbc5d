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
  #waiting: (() => void)[] = [];
  #running = false;

  constructor(precedence: Precedence) {
    this.#precedence = precedence;
  }

  /** Resolves when it is the caller's turn, which lasts until it waits for something else than a promise of its own. */
  next(): Promise<void> {
    return new Promise((start) => {
      this.#waiting.push(start);
      if (!this.#running) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#running = true;
    let ended = performance.now();
    while (this.#waiting.length > 0) {
      await this.#precedence.yieldToRequests();
      const started = performance.now();
      const share = Math.min(MAX_MS, (started - ended) * SHARE);
      let done = 0;
      do {
        this.#waiting[done++]!();
        // After all that the turn does with promises, and after the socket was written, which Node does a tick later.
        await new Promise<void>((resolve) => process.nextTick(() => process.nextTick(resolve)));
        ended = performance.now();
      } while (done < this.#waiting.length && ended - started < share);
      this.#waiting = this.#waiting.slice(done);
    }
    this.#running = false;
  }
}
