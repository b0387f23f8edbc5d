import { Stamps } from './stamps.ts';

/** A request on its way; the pacer's handle for it. */
export interface Sent {
  readonly at: number;
}

/** How many of the own requests the service had counted when it stamped an answer: at least and at most. */
export interface OwnCount {
  readonly least: number;
  readonly most: number;
}

/**
 * The mirrored log: a request holds its slot while it is in flight and then for one window from the moment its answer
 * arrived. The service stamped it before that and a new request reaches it later, so the service never counts more
 * than is held here, whatever the network delays or reorders.
 */
export class OwnLog {
  /** In ms; may change once the service has shown it. */
  windowMs: number;
  /** Send times of requests in flight or answered, refused ones taken out. */
  readonly #sent = new Stamps();
  /** Arrival times of their answers. */
  readonly #answered = new Stamps();
  /** When requests failed of which nobody knows whether they were counted. */
  readonly #doubtful = new Stamps();
  /** In the order they were sent. */
  readonly #inFlight = new Set<Sent>();

  constructor(windowMs: number) {
    this.windowMs = windowMs;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  send(now: number): Sent {
    const request = { at: now };
    this.#inFlight.add(request);
    this.#sent.add(now);
    return request;
  }

  /** The answer came and the request was counted. */
  answer(request: Sent, now: number): void {
    this.#inFlight.delete(request);
    this.#answered.add(now);
  }

  /** It was refused with 429, or never reached the service: it holds nothing. */
  release(request: Sent): void {
    this.#inFlight.delete(request);
    this.#sent.remove(request.at);
  }

  /** It failed and may have been counted. */
  doubt(request: Sent, now: number): void {
    this.release(request);
    this.#doubtful.add(now);
  }

  /** Slots held at `now`. */
  held(now: number): number {
    const from = now - this.windowMs;
    return this.#inFlight.size + this.#answered.countAfter(from) + this.#doubtful.countAfter(from);
  }

  /** Answered requests whose slot is still held: what the service surely let through. */
  accepted(now: number): number {
    return this.#answered.countAfter(now - this.windowMs);
  }

  /** When the next slot frees by itself, in ms; Infinity while all held ones are in flight. */
  nextFree(now: number): number {
    const from = now - this.windowMs;
    return Math.min(this.#answered.firstAfter(from), this.#doubtful.firstAfter(from)) + this.windowMs;
  }

  /**
   * The own requests counted when the service stamped the answer to `request`, which arrived at `now` and is still in
   * flight here; it is among them. The stamp lies somewhere between the two times.
   */
  countedAt(request: Sent, now: number): OwnCount {
    const others = this.#inFlight.size - 1;
    const from = request.at - this.windowMs;
    const most = 1 + others + this.#answered.countAfter(from) + this.#doubtful.countAfter(from);
    // Surely counted: answered before this one left, and sent so late that the window still holds it.
    const unsure = others + this.#answered.countAfter(request.at);
    const recent = this.#sent.countAfter(now - this.windowMs) - 1;
    return { least: 1 + Math.max(0, recent - unsure), most };
  }

  /** Sent times of requests still in flight begin here; `now` when there is none. */
  oldestInFlight(now: number): number {
    for (const request of this.#inFlight) return request.at;
    return now;
  }

  /** Forgets what neither holds a slot nor can have been counted with a request that is still in flight. */
  prune(now: number): void {
    const from = this.oldestInFlight(now) - this.windowMs;
    this.#answered.dropUntil(from);
    this.#doubtful.dropUntil(from);
    this.#sent.dropUntil(now - this.windowMs);
  }
}
