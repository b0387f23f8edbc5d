/** Slots that were observed together. */
interface Entry {
  /** When they were observed; they arrived before this. */
  readonly seen: number;
  /** When they free at the latest. */
  readonly leaves: number;
  slots: number;
}

/** Arrivals are averaged over this time, in ms. */
const RATE_MS = 10_000;
/**
 * Upper bound on entries: twice the highest limit of the specification, so that each slot has its own entry up to
 * there. Above it, neighbors share one, so memory is bounded whatever number a header holds.
 */
const MAX_ENTRIES = 10_000;

/**
 * Estimates what other clients of the workspace use, from the responses to this client's requests. Each response gives
 * an interval, and the estimate changes only if it lies outside: a point estimate would invent other clients.
 */
export class PeerUsage {
  /** In ms; changes when the service shows another window. */
  windowMs: number;
  /** Ascending by `leaves`. */
  #entries: Entry[] = [];
  #total = 0;
  /** When new slots were observed, within the last RATE_MS. */
  #arrivals: Array<{ at: number; slots: number }> = [];
  #since = 0;

  constructor(windowMs: number) {
    this.windowMs = windowMs;
  }

  /** Number of entries held, which bounds the memory. */
  get size(): number {
    return this.#entries.length + this.#arrivals.length;
  }

  /** Starts over with `used` slots: the first frees at `firstFree`, the rest are spread evenly over the window. */
  restart(used: number, firstFree: number, now: number): void {
    const last = now + this.windowMs;
    const first = Math.min(Math.max(firstFree, now), last);
    const length = Math.min(Math.max(0, used), MAX_ENTRIES);
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

  /** Records that others used between `least` and `most` slots at some time from `from` to `now`. */
  observe(least: number, most: number, from: number, now: number): void {
    const missing = least - this.count(from);
    if (missing > 0) this.#add(missing, now);
    let surplus = -most;
    for (const entry of this.#entries) if (entry.seen <= from && entry.leaves > now) surplus += entry.slots;
    if (surplus > 0) this.#remove(surplus, from, now);
  }

  /** Returns the estimated number of slots taken at `time`. */
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

  /** Returns the estimated rate at which others send, in requests per ms. */
  rate(now: number): number {
    const span = Math.min(RATE_MS, Math.max(1000, now - this.#since));
    let recent = 0;
    for (const { at, slots } of this.#arrivals) if (at > now - span) recent += slots;
    return Math.max(recent / span, this.count(now) / this.windowMs);
  }

  /** Drops what freed before `time`, the earliest moment that a later response can refer to. */
  prune(time: number): void {
    const first = this.#entries.findIndex(({ leaves }) => leaves > time);
    this.#total = this.count(time);
    if (first !== 0) this.#entries.splice(0, first < 0 ? this.#entries.length : first);
    while (this.#arrivals.length > 0 && this.#arrivals[0]!.at <= time - RATE_MS) this.#arrivals.shift();
  }

  /** Adds slots. If there are many entries, slots observed within a short time share one. */
  #add(slots: number, now: number): void {
    const leaves = now + this.windowMs;
    const last = this.#entries.at(-1);
    if (last && this.#entries.length >= MAX_ENTRIES && leaves - last.leaves < this.windowMs / MAX_ENTRIES)
      last.slots += slots;
    else this.#entries.push({ seen: now, leaves, slots });
    const latest = this.#arrivals.at(-1);
    if (latest && this.#arrivals.length >= MAX_ENTRIES && now - latest.at < RATE_MS / MAX_ENTRIES)
      latest.slots += slots;
    else this.#arrivals.push({ at: now, slots });
    this.#total += slots;
  }

  /** Removes slots that others cannot hold, starting with those that free first. */
  #remove(surplus: number, from: number, now: number): void {
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
