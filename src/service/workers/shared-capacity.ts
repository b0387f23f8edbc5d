/** Something that several lanes share, and how many deliveries it takes at a time. */
export interface Bound {
  readonly key: string;
  readonly most: number;
}

/** Counts what is under way by what it shares: a host, a kind of lane, the process. */
export class SharedRoom {
  readonly #taken = new Map<string, number>();

  /** Takes up to `wanted` places of each bound at once; returns how many there were. */
  take(bounds: readonly Bound[], wanted: number): number {
    const room = Math.max(
      0,
      Math.min(wanted, ...bounds.map(({ key, most }) => most - (this.#taken.get(key) ?? 0))),
    );
    if (room > 0) for (const { key } of bounds) this.#taken.set(key, (this.#taken.get(key) ?? 0) + room);
    return room;
  }

  /** Gives back places that `take` gave. */
  release(bounds: readonly Bound[], count = 1): void {
    for (const { key } of bounds) {
      const left = this.#taken.get(key)! - count;
      if (left > 0) this.#taken.set(key, left);
      else this.#taken.delete(key);
    }
  }
}
