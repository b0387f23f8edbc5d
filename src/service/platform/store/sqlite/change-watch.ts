/** Interval of the check for commits by other processes. */
const POLL_MS = 200;

/** Watches an SQLite file for the commits of other processes. */
export class ChangeWatch {
  readonly #version: () => number | undefined;
  readonly #onChange: () => void;
  #poll: NodeJS.Timeout | undefined;
  #last: number | undefined;

  /** `version` reads `PRAGMA data_version`; undefined while the connection is in use. */
  constructor(version: () => number | undefined, onChange: () => void) {
    this.#version = version;
    this.#onChange = onChange;
  }

  start(): void {
    if (this.#poll) return;
    this.#last = this.#version();
    this.#poll = setInterval(() => this.#check(), POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#poll);
    this.#poll = undefined;
  }

  #check(): void {
    let version: number | undefined;
    try {
      version = this.#version();
    } catch {
      // The disk fails: the next check tries again.
      return;
    }
    if (version === undefined || version === this.#last) return;
    this.#last = version;
    this.#onChange();
  }
}
