interface Entry {
  /** When it showed: it arrived before this. */
  readonly seen: number;
  /** When its slot frees, at the latest. */
  readonly leaves: number;
}

/** Arrivals are averaged over this long, in ms. */
const RATE_MS = 10_000;

/**
 * What other clients of the workspace use, as far as the answers to one's own requests show it. Each answer gives an
 * interval; the estimate moves only when it lies outside, because a point estimate invents users that are not there.
 */
export class OthersLog {
  /** In ms; may change once the service has shown it. */
  windowMs: number;
  /** Ascending by `leaves`. */
  #entries: Entry[] = [];
  /** When newcomers were seen, within the last RATE_MS. */
  #arrivals: number[] = [];
  #since = 0;

  constructor(windowMs: number) {
    this.windowMs = windowMs;
  }

  /** Starts anew: `used` slots are taken, the first frees at `firstFree`, the rest spread evenly up to a window. */
  restart(used: number, firstFree: number, now: number): void {
    const last = now + this.windowMs;
    const first = Math.min(Math.max(firstFree, now), last);
    this.#arrivals = [];
    this.#since = now;
    this.#entries = Array.from({ length: Math.max(0, used) }, (_, index) => ({
      seen: now,
      leaves: used === 1 ? first : first + ((last - first) * index) / (used - 1),
    }));
  }

  /** The others used between `least` and `most` slots at some time from `from` to `now`. */
  observe(least: number, most: number, from: number, now: number): void {
    const possible = this.count(from);
    for (let missing = least - possible; missing > 0; missing--) {
      this.#entries.push({ seen: now, leaves: now + this.windowMs });
      this.#arrivals.push(now);
    }
    let surplus = -most;
    for (const entry of this.#entries) if (entry.seen <= from && entry.leaves > now) surplus++;
    if (surplus <= 0) return;
    this.#entries = this.#entries.filter((entry) => {
      if (surplus <= 0 || entry.seen > from || entry.leaves <= now) return true;
      surplus--;
      return false;
    });
  }

  /** Slots thought to be taken at `time`. */
  count(time: number): number {
    let gone = 0;
    while (gone < this.#entries.length && this.#entries[gone]!.leaves <= time) gone++;
    return this.#entries.length - gone;
  }

  nextFree(now: number): number {
    return this.#entries.find((entry) => entry.leaves > now)?.leaves ?? Infinity;
  }

  /** Requests per ms that the others are thought to send. */
  rate(now: number): number {
    const span = Math.min(RATE_MS, Math.max(1000, now - this.#since));
    const lately = this.#arrivals.filter((at) => at > now - span).length / span;
    return Math.max(lately, this.count(now) / this.windowMs);
  }

  /** Forgets what left before `time`: the oldest moment that an answer to come can speak of. */
  prune(time: number): void {
    const gone = this.#entries.length - this.count(time);
    if (gone > 0) this.#entries.splice(0, gone);
    while (this.#arrivals.length > 0 && this.#arrivals[0]! <= time - RATE_MS) this.#arrivals.shift();
  }
}
