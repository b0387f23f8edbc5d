import type { Socket } from 'node:net';
import type { SendQueues } from './send-queues.ts';

/** Bytes that a stream is sent before its client has to have taken them, and how many times as many the next time. */
const FIRST = 32 * 1024;
const GROWTH = 8;
/** The most that are sent at a time to one that does. */
const MOST = 16 * 1024 * 1024;

/** How much a stream is sent: more each time that its client has taken most of what it was sent before. */
export class ReadingPace {
  readonly #queues: SendQueues;
  readonly #socket: Socket | undefined;
  #window = FIRST;
  #left = FIRST;

  /** Without a socket, the stream is read inside this process. */
  constructor(queues: SendQueues, socket: Socket | undefined) {
    this.#queues = queues;
    this.#socket = socket;
  }

  /** True if the client has taken something. */
  get reads(): boolean {
    return this.#window > FIRST;
  }

  sent(bytes: number): void {
    this.#left -= bytes;
  }

  /** Resolves when more may be sent, or with the signal. */
  async untilReading(signal: AbortSignal): Promise<void> {
    if (this.#left > 0 || !this.#socket) return;
    await this.#queues.drained(this.#socket, this.#window / 4, signal);
    this.#window = Math.min(MOST, GROWTH * this.#window);
    this.#left = this.#window;
  }
}
