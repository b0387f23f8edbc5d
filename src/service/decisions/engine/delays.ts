/** The number of delays that are kept. */
const MAX_DELAYS = 63;

/** Time that stands for any number of decisions, in multiples of a delay: where traffic stops, learning does not. */
const LONG = 24;

/** How long something took: in ms, and in decisions made meanwhile. */
export interface Delay {
  readonly ms: number;
  readonly decisions: number;
}

/** How long recent responses took. */
export class Delays {
  readonly kept: Delay[] = [];
  #shares = new Map<number, Delay>();

  add({ ms, decisions }: Delay): void {
    this.kept.push({ ms: Math.max(ms, 0), decisions });
    if (this.kept.length > MAX_DELAYS) this.kept.shift();
    this.#shares.clear();
  }

  /**
   * True for a decision that is at least as old as this share of the responses were, both in time and in decisions: where
   * traffic becomes less, or a machine slower, the same delays take longer. Much more time is enough alone.
   */
  havePassed(share: number, { ms, decisions }: Delay): boolean {
    let limit = this.#shares.get(share);
    if (!limit) {
      limit = {
        ms: this.#quantile(share, (delay) => delay.ms),
        decisions: this.#quantile(share, (delay) => delay.decisions),
      };
      this.#shares.set(share, limit);
    }
    return ms >= limit.ms && (decisions >= limit.decisions || ms >= LONG * limit.ms);
  }

  #quantile(share: number, of: (delay: Delay) => number): number {
    const sorted = this.kept.map(of).sort((a, b) => a - b);
    return sorted[Math.floor(share * sorted.length)] ?? 0;
  }
}
