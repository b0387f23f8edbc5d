/**
 * A semaphore over bytes: its users together never hold more than `total`, and waiting users are served in order.
 * A request larger than `total` is granted while nothing else is held.
 */
export class ByteBudget {
  readonly #total: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  #taken = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** Takes the bytes and returns true, or returns false if they are not available now. */
  take(bytes: number): boolean {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) return false;
    this.#taken += bytes;
    return true;
  }

  /** Takes the bytes as soon as they are available. */
  wait(bytes: number): Promise<void> {
    if (this.take(bytes)) return Promise.resolve();
    return new Promise((go) => this.#waiting.push({ bytes, go }));
  }

  /** Returns bytes to the budget. */
  give(bytes: number): void {
    this.#taken -= bytes;
    for (let next = this.#waiting[0]; next && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.go();
    }
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#total;
  }
}
