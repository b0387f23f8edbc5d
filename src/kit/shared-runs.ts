/**
 * Runs work for a key, one run at a time. Each caller gets the result of a run that begins after its call: those who call
 * during a run share the next one, so that many callers cost two runs.
 */
export class SharedRuns<T> {
  readonly #running = new Map<string, Promise<T>>();
  readonly #next = new Map<string, Promise<T>>();

  /** Resolves and rejects as `work` does. `work` is that of the first caller of a run. */
  run(key: string, work: () => Promise<T>): Promise<T> {
    const next = this.#next.get(key);
    if (next) return next;
    const running = this.#running.get(key);
    if (!running) return this.#begin(key, work);
    const begin = () => this.#begin(key, work);
    const shared = running.then(begin, begin);
    this.#next.set(key, shared);
    return shared;
  }

  #begin(key: string, work: () => Promise<T>): Promise<T> {
    this.#next.delete(key);
    const run = work().finally(() => {
      if (this.#running.get(key) === run) this.#running.delete(key);
    });
    this.#running.set(key, run);
    return run;
  }
}
