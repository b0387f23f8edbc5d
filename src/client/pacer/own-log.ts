import { Stamps } from './stamps.ts';

/** Handle of a request in flight. */
export interface Sent {
  readonly at: number;
}

/** Bounds on how many own requests the service had counted when it wrote a response. */
export interface OwnCount {
  readonly least: number;
  readonly most: number;
}

/**
 * Mirrors the service's log of this client's requests. A request holds a slot while it is in flight and for one window
 * after its response arrived. The service counted it earlier and counts a new request later, so it never counts more
 * than is held here, even if the network delays or reorders requests.
 */
export class OwnLog {
  /** In ms; changes when the service shows another window. */
  windowMs: number;
  /** Send times of requests in flight or answered, without refused ones. */
  readonly #sent = new Stamps();
  /** Arrival times of their responses. */
  readonly #answered = new Stamps();
  /** Failure times of requests that the service may have counted. */
  readonly #ambiguous = new Stamps();
  /** In the order in which they were sent. */
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

  /** Records a response to a request that was counted. */
  answer(request: Sent, now: number): void {
    this.#inFlight.delete(request);
    this.#answered.add(now);
  }

  /** Frees the slot of a request that was refused with 429 or never reached the service. */
  release(request: Sent): void {
    this.#inFlight.delete(request);
    this.#sent.remove(request.at);
  }

  /** Records a failed request that may have been counted. */
  fail(request: Sent, now: number): void {
    this.release(request);
    this.#ambiguous.add(now);
  }

  /** Returns the slots held at `now`. */
  held(now: number): number {
    const from = now - this.windowMs;
    return this.#inFlight.size + this.#answered.countAfter(from) + this.#ambiguous.countAfter(from);
  }

  /** Returns the answered requests whose slot is still held: the service accepted at least these. */
  accepted(now: number): number {
    return this.#answered.countAfter(now - this.windowMs);
  }

  /** Returns when the next slot frees, in ms; Infinity if all held slots belong to requests in flight. */
  nextFree(now: number): number {
    const from = now - this.windowMs;
    return Math.min(this.#answered.firstAfter(from), this.#ambiguous.firstAfter(from)) + this.windowMs;
  }

  /**
   * Returns bounds on the own requests that the service had counted when it wrote the response to `request`, which
   * arrived at `now` and is still in flight here. The count includes it. It was taken between `request.at` and `now`.
   */
  countedAt(request: Sent, now: number): OwnCount {
    const others = this.#inFlight.size - 1;
    const from = request.at - this.windowMs;
    const most = 1 + others + this.#answered.countAfter(from) + this.#ambiguous.countAfter(from);
    // Certainly counted: answered before this one was sent, and sent so late that the window still holds it.
    const uncertain = others + this.#answered.countAfter(request.at);
    const recent = this.#sent.countAfter(now - this.windowMs) - 1;
    return { least: 1 + Math.max(0, recent - uncertain), most };
  }

  /** Returns the send time of the oldest request in flight; `now` if there is none. */
  oldestInFlight(now: number): number {
    for (const request of this.#inFlight) return request.at;
    return now;
  }

  /** Drops what neither holds a slot nor can have been counted together with a request in flight. */
  prune(now: number): void {
    const from = this.oldestInFlight(now) - this.windowMs;
    this.#answered.dropUntil(from);
    this.#ambiguous.dropUntil(from);
    this.#sent.dropUntil(now - this.windowMs);
  }
}
