/** Limits a rate: holds what accrues in one second, and is full at first. */
export class TokenBucket {
  readonly #perSecond: number;
  #tokens: number;
  #at = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#tokens = perSecond;
  }

  /** The number of whole tokens that can be taken now. */
  get available(): number {
    const now = performance.now();
    this.#tokens = Math.min(this.#perSecond, this.#tokens + ((now - this.#at) / 1000) * this.#perSecond);
    this.#at = now;
    return Math.floor(this.#tokens);
  }

  take(count: number): void {
    this.#tokens -= count;
  }
}
