/**
 * A number of bytes that many share: who takes some waits for its turn until there is room, so that together they never
 * hold more than `total`. What is larger than that is let through alone.
 */
export class ByteBudget {
  readonly #total: number;
  readonly #waiting: { readonly bytes: number; readonly go: () => void }[] = [];
  #taken = 0;

  constructor(total: number) {
    this.#total = total;
  }

  /** True where the bytes could be taken at once. */
  take(bytes: number): boolean {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) return false;
    this.#taken += bytes;
    return true;
  }

  /** Takes the bytes once there is room for them. */
  wait(bytes: number): Promise<void> {
    if (this.take(bytes)) return Promise.resolve();
    return new Promise((go) => this.#waiting.push({ bytes, go }));
  }

  /** Gives bytes back. */
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
