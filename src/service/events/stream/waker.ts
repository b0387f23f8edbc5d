/** Lets one waiter sleep until something happens, a time passes, or the end. */
export class Waker {
  ended = false;
  #news = false;
  #wake: (() => void) | undefined;

  /** Ends the current sleep, or else the next one. */
  wake(): void {
    this.#news = true;
    this.#wake?.();
  }

  /** Ends this and all later sleeps. */
  end(): void {
    this.ended = true;
    this.#wake?.();
  }

  /** Sleeps until woken, at most `ms`; also if it was woken before. True if something happened. */
  async untilNews(ms: number): Promise<boolean> {
    if (!this.#news) await this.#sleep(ms);
    const happened = this.#news;
    this.#news = false;
    return happened;
  }

  /** Sleeps `ms` whatever happens, or until the end. */
  async pause(ms: number): Promise<void> {
    const until = performance.now() + ms;
    for (let left = ms; left > 0 && !this.ended; left = until - performance.now()) await this.#sleep(left);
  }

  #sleep(ms: number): Promise<void> {
    if (this.ended) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wake = done;
    });
  }
}
