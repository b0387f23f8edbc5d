/** The longest wait of a piece of bulk work, so that steady requests do not stop it, in ms. */
const MAX_WAIT_MS = 50;

interface Waiting {
  readonly since: number;
  readonly start: () => void;
}

/**
 * Gives requests that somebody waits for precedence over bulk work, with which they share one thread. Bulk work, such as
 * pages of a list, the past of an event stream or deliveries, is done in pieces, and each piece waits here: it starts
 * when no such request is running, and no two pieces start in one iteration of the event loop, so that a request that
 * has arrived comes first. While nothing else is running a piece waits only for that iteration.
 */
export class Precedence {
  readonly #waiting: Waiting[] = [];
  #running = 0;
  #scheduled = false;
  #deadline: NodeJS.Timeout | undefined;

  /** False while requests are running that bulk work gives way to. */
  get idle(): boolean {
    return this.#running === 0;
  }

  /** Runs a request that bulk work gives way to. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      if (this.#running === 0) this.#schedule();
    }
  }

  /** Waits until the next piece of bulk work may start, at most MAX_WAIT_MS while requests are running. */
  yieldToRequests(): Promise<void> {
    return new Promise((start) => {
      this.#waiting.push({ since: performance.now(), start });
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0) return;
    this.#scheduled = true;
    clearTimeout(this.#deadline);
    setImmediate(() => {
      this.#scheduled = false;
      this.#startNext();
    });
  }

  #startNext(): void {
    const next = this.#waiting[0]!;
    const left = next.since + MAX_WAIT_MS - performance.now();
    if (this.#running > 0 && left > 0) {
      this.#deadline = setTimeout(() => this.#schedule(), left);
      return;
    }
    this.#waiting.shift();
    next.start();
    this.#schedule();
  }
}
