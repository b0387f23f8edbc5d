/** Slots that were seen together. */
interface Entry {
  /** When they showed: they arrived before this. */
  readonly seen: number;
  /** When they free, at the latest. */
  readonly leaves: number;
  slots: number;
}

/** Arrivals are averaged over this long, in ms. */
const RATE_MS = 10_000;
/**
 * Most entries that are held. Twice the largest limit of the specification, so that each slot has its own up to there;
 * above, neighbours share one, and memory stays the same whatever number a header holds.
 */
const MOST_ENTRIES = 10_000;

/**
 * What other clients of the workspace use, as far as the answers to one's own requests show it. Each answer gives an
 * interval; the estimate moves only when it lies outside, because a point estimate invents users that are not there.
 */
export class PeerUsage {
  /** In ms; may change once the service has shown it. */
  windowMs: number;
  /** Ascending by `leaves`. */
  #entries: Entry[] = [];
  #total = 0;
  /** When newcomers were seen, within the last RATE_MS. */
  #arrivals: Array<{ at: number; slots: number }> = [];
  #since = 0;

  constructor(windowMs: number) {
    this.windowMs = windowMs;
  }

  /** Entries held, for a look at the memory: bounded, whatever the slots. */
  get size(): number {
    return this.#entries.length + this.#arrivals.length;
  }

  /** Forgets everything: `used` slots are taken, the first frees at `firstFree`, the rest spread evenly up to a window. */
  restart(used: number, firstFree: number, now: number): void {
    const last = now + this.windowMs;
    const first = Math.min(Math.max(firstFree, now), last);
    const length = Math.min(Math.max(0, used), MOST_ENTRIES);
    const before = (index: number) => Math.round((used / length) * index);
    this.#arrivals = [];
    this.#since = now;
    this.#total = Math.max(0, used);
    this.#entries = Array.from({ length }, (_, index) => ({
      seen: now,
      leaves: length === 1 ? first : first + ((last - first) * index) / (length - 1),
      slots: before(index + 1) - before(index),
    }));
  }

  /** The others used between `least` and `most` slots at some time from `from` to `now`. */
  observe(least: number, most: number, from: number, now: number): void {
    const missing = least - this.count(from);
    if (missing > 0) this.#arrived(missing, now);
    let surplus = -most;
    for (const entry of this.#entries) if (entry.seen <= from && entry.leaves > now) surplus += entry.slots;
    if (surplus > 0) this.#take(surplus, from, now);
  }

  /** Slots thought to be taken at `time`. */
  count(time: number): number {
    let left = this.#total;
    for (const { leaves, slots } of this.#entries) {
      if (leaves > time) break;
      left -= slots;
    }
    return left;
  }

  nextFree(now: number): number {
    return this.#entries.find((entry) => entry.leaves > now)?.leaves ?? Infinity;
  }

  /** Requests per ms that the others are thought to send. */
  rate(now: number): number {
    const span = Math.min(RATE_MS, Math.max(1000, now - this.#since));
    let lately = 0;
    for (const { at, slots } of this.#arrivals) if (at > now - span) lately += slots;
    return Math.max(lately / span, this.count(now) / this.windowMs);
  }

  /** Forgets what left before `time`: the oldest moment that an answer to come can speak of. */
  prune(time: number): void {
    const kept = this.#entries.findIndex(({ leaves }) => leaves > time);
    this.#total = this.count(time);
    if (kept !== 0) this.#entries.splice(0, kept < 0 ? this.#entries.length : kept);
    while (this.#arrivals.length > 0 && this.#arrivals[0]!.at <= time - RATE_MS) this.#arrivals.shift();
  }

  /** Where there are many entries, what showed within a grain of time shares one. */
  #arrived(slots: number, now: number): void {
    const leaves = now + this.windowMs;
    const last = this.#entries.at(-1);
    if (last && this.#entries.length >= MOST_ENTRIES && leaves - last.leaves < this.windowMs / MOST_ENTRIES)
      last.slots += slots;
    else this.#entries.push({ seen: now, leaves, slots });
    const latest = this.#arrivals.at(-1);
    if (latest && this.#arrivals.length >= MOST_ENTRIES && now - latest.at < RATE_MS / MOST_ENTRIES)
      latest.slots += slots;
    else this.#arrivals.push({ at: now, slots });
    this.#total += slots;
  }

  /** Takes slots out that the others cannot hold, those that free first. */
  #take(surplus: number, from: number, now: number): void {
    let left = surplus;
    for (const entry of this.#entries) {
      if (left <= 0) break;
      if (entry.seen > from || entry.leaves <= now) continue;
      const taken = Math.min(left, entry.slots);
      entry.slots -= taken;
      this.#total -= taken;
      left -= taken;
    }
    this.#entries = this.#entries.filter(({ slots }) => slots > 0);
  }
}
