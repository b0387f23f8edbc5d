import type { Socket } from 'node:net';
import type { SendQueues } from './send-queues.ts';

/** Bytes that a stream is sent at a time once its client has taken the first message, and how many times as many later. */
const FIRST = 32 * 1024;
const GROWTH = 8;
/** The most that are sent at a time to one that does. */
const MOST = 16 * 1024 * 1024;

/** How much a stream is sent: more each time that its client has taken most of what it was sent before. */
export class ReadingPace {
  readonly #queues: SendQueues;
  readonly #socket: Socket | undefined;
  #window = 0;
  #left = 1;

  /** Without a socket, the stream is read inside this process. */
  constructor(queues: SendQueues, socket: Socket | undefined) {
    this.#queues = queues;
    this.#socket = socket;
  }

  sent(bytes: number): void {
    this.#left -= bytes;
  }

  /** Resolves when more may be sent, or with the signal. */
  async untilReading(signal: AbortSignal): Promise<void> {
    if (this.#left > 0 || !this.#socket) return;
    await this.#queues.drained(this.#socket, this.#window / 4, signal);
    this.#window = Math.min(MOST, Math.max(FIRST, GROWTH * this.#window));
    this.#left = this.#window;
  }
}
