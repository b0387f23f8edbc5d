import { UNLIMITED } from '../../contract/limits.ts';
import type { RateAnswer } from './answer.ts';
import { LimitGuess } from './limit-guess.ts';
import { OwnLog, type Sent } from './own-log.ts';
import { PeerUsage } from './peer-usage.ts';

export interface PaceOptions {
  /** Length of the service's window, in ms, unless the service shows another. */
  readonly windowMs: number;
  /** The part of the limit that this client may use, above 0 and at most 1. */
  readonly share: number;
  /** For the jitter of a pause. */
  readonly random: () => number;
}

/** A snapshot of what a pacer knows. */
export interface PaceState {
  /** Requests per window; undefined until a response named or suggested one, and if there is no limit. */
  readonly limit: number | undefined;
  /** Length of the window, in ms. */
  readonly windowMs: number;
  /** Slots held by own requests, those in flight included. */
  readonly own: number;
  /** Slots that other clients are estimated to hold. */
  readonly others: number;
  /** Unix ms until which a 429 stops all requests; undefined while nothing is stopped. */
  readonly pausedUntil: number | undefined;
}

/** The first backoff after a 429; it doubles up to the cap (specification: Recommended client behaviour). */
const BACKOFF_MS = 1000;
const BACKOFF_CAP_MS = 30_000;
const JITTER_MS = 500;
/** A window that differs from the configured one by no more than this, in ms, counts as equal: Reset is in seconds. */
const WINDOW_SLACK_MS = 2000;
const LONGEST_WINDOW_MS = 24 * 3600_000;
/** The part of the limit that a probe leaves free for the probes of other clients. */
const PROBES_OF_OTHERS = 0.015;
/** How far sending may lag behind an even pace and still catch up, in ms: a stalled event loop loses nothing. */
const CATCH_UP_MS = 500;

/**
 * Decides when the next request of a rate-limit group may be sent so that it is not answered with 429. Synchronous, and
 * time is an argument, so it also runs on a virtual clock.
 *
 * The rules:
 * 1. Own requests hold slots as described in `OwnLog`; the use of others is inferred as described in `PeerUsage`.
 * 2. Both together with a reserve stay below the limit. The reserve covers what others may send before the next response.
 * 3. The first request is sent alone, as a probe, to learn what remains. Later requests are spread evenly, except that
 *    a job that fits in half of what remains is sent at once.
 * 4. A 429 pauses all requests once; then another probe is sent.
 *
 * Without rate-limit headers nothing is delayed until a 429, from which the limit is guessed (`LimitGuess`).
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #own: OwnLog;
  readonly #others: PeerUsage;
  readonly #guess = new LimitGuess();
  #windowMs: number;
  #limit: number | undefined;
  /** True if the limit is a guess from a 429 and not from a header. */
  #guessed = false;
  /** True until a response has shown how much is used. */
  #fresh = true;
  /** The request that is sent alone. */
  #probe: Sent | undefined;
  /** Send time of the latest request whose response has shown the use of the limit. */
  #knownAt = -Infinity;
  /** Position of the even pace: the next request is due one gap later. */
  #paceAt = -Infinity;
  #pausedAt = -Infinity;
  #pausedUntil = -Infinity;
  #pauses = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#windowMs = options.windowMs;
    this.#own = new OwnLog(options.windowMs);
    this.#others = new PeerUsage(options.windowMs);
  }

  /**
   * Returns when to send the next request, in ms. A time at or before `now` means now; a later time means ask again
   * then; Infinity means ask again once a request in flight is answered. `pending` is the number of requests still to
   * be sent, this one included.
   */
  ask(now: number, pending: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil;
    if (this.#probe !== undefined) return Infinity;
    if (this.#fresh) return this.#askFresh(now);
    return this.#limit === undefined ? now : this.#askLimited(now, this.#limit, pending);
  }

  /** Allows one request alone. */
  #askFresh(now: number): number {
    if (this.#own.inFlight > 0) return Infinity;
    // Requests whose responses were lost hold their slots even when nothing else is known.
    const full =
      this.#limit !== undefined && !this.#guessed && this.#own.held(now) >= this.#share(this.#limit);
    return full ? this.#own.nextFree(now) : now;
  }

  #askLimited(now: number, limit: number, pending: number): number {
    // With nothing in flight, no response will show what others have freed: after a while a probe has to.
    const idle = this.#own.inFlight === 0;
    if (idle && this.#isStale(now)) return this.#probeAt(now, limit);
    const room = this.#room(now, limit);
    if (room >= 1) return pending <= room / 2 ? now : Math.max(now, this.#paceAt + this.#gap(now, limit));
    const probeDue = idle ? this.#knownAt + this.#windowMs / 10 : Infinity;
    if (now >= probeDue) return this.#probeAt(now, limit);
    return Math.max(now + 1, Math.min(this.#nextFree(now), probeDue));
  }

  /** Records that a request is sent. */
  sent(now: number): Sent {
    const request = this.#own.send(now);
    const alone = this.#own.inFlight === 1;
    if (alone && (this.#fresh || (this.#limit !== undefined && this.#isStale(now)))) this.#probe = request;
    if (this.#limit !== undefined) {
      const gap = this.#gap(now, this.#limit);
      this.#paceAt = Math.max(this.#paceAt + gap, now - Math.max(gap, CATCH_UP_MS));
    }
    return request;
  }

  /** Records the response to a request. Call once per request. */
  answered(request: Sent, now: number, answer: RateAnswer): void {
    if (this.#probe === request) this.#probe = undefined;
    if (answer.limit !== undefined) this.#learnLimit(answer.limit);
    if (answer.status === 429) this.#refused(request, now, answer);
    else this.#counted(request, now, answer);
    this.#own.prune(now);
    this.#others.prune(this.#own.oldestInFlight(now));
  }

  /** Records that a request got no response. `counted` is false if it never reached the service. */
  failed(request: Sent, now: number, counted: boolean): void {
    if (this.#probe === request) this.#probe = undefined;
    if (counted) this.#own.fail(request, now);
    else this.#own.release(request);
  }

  state(now: number): PaceState {
    return {
      limit: this.#limit === UNLIMITED ? undefined : this.#limit,
      windowMs: this.#windowMs,
      own: this.#own.held(now),
      others: this.#others.count(now),
      pausedUntil: now < this.#pausedUntil ? this.#pausedUntil : undefined,
    };
  }

  #learnLimit(limit: number): void {
    this.#limit = Math.max(1, limit);
    this.#guessed = false;
  }

  /** Learns the window from Reset when this request is the only one in it: it leaves after exactly one window. */
  #learnWindow(shown: number): void {
    const agreed = Math.abs(shown - this.#options.windowMs) <= WINDOW_SLACK_MS;
    this.#windowMs = agreed ? this.#options.windowMs : Math.min(LONGEST_WINDOW_MS, Math.max(1000, shown));
    this.#own.windowMs = this.#windowMs;
    this.#others.windowMs = this.#windowMs;
  }

  #counted(request: Sent, now: number, answer: RateAnswer): void {
    const counted = this.#own.countedAt(request, now);
    const acceptedBefore = this.#own.accepted(now);
    this.#own.answer(request, now);
    if (request.at >= this.#pausedAt) this.#pauses = 0;
    const limit = this.#limit;
    if (limit !== undefined && answer.limit !== undefined && answer.remaining !== undefined) {
      const used = Math.max(0, limit - answer.remaining);
      if (used === 1 && answer.resetExact && answer.resetIn) this.#learnWindow(answer.resetIn);
      const least = Math.max(0, used - counted.most);
      if (this.#fresh) this.#others.restart(least, now + (answer.resetIn ?? 0), now);
      else this.#others.observe(least, Math.max(0, used - counted.least), request.at, now);
    } else if (limit !== undefined && this.#guessed) {
      this.#limit = this.#guess.accepted(limit, acceptedBefore, this.#own.accepted(now));
    }
    this.#fresh = false;
    this.#knownAt = Math.max(this.#knownAt, request.at);
  }

  #refused(request: Sent, now: number, answer: RateAnswer): void {
    this.#own.release(request);
    const retryAfter = answer.retryAfter ?? 0;
    if (this.#limit === undefined || this.#guessed) {
      const retryBeforeFree = retryAfter > 0 && now + retryAfter + WINDOW_SLACK_MS < this.#own.nextFree(now);
      this.#limit = this.#guess.refused({ accepted: this.#own.accepted(now), retryBeforeFree });
      this.#guessed = true;
    }
    this.#fresh = true;
    if (request.at < this.#pausedAt) {
      // Sent before the pause began: part of the same refusal, so it only extends the pause.
      this.#pausedUntil = Math.max(this.#pausedUntil, now + retryAfter);
      return;
    }
    const backoff = Math.min(BACKOFF_CAP_MS, BACKOFF_MS * 2 ** this.#pauses++);
    const pause = Math.max(retryAfter, backoff) + this.#options.random() * JITTER_MS;
    this.#pausedAt = now;
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
  }

  /** True if no response has shown the use of the limit for a quarter of the window. */
  #isStale(now: number): boolean {
    return now - this.#knownAt > this.#windowMs / 4;
  }

  /** Slots that may be taken now. */
  #room(now: number, limit: number): number {
    const held = this.#own.held(now);
    const left = limit - held - this.#others.count(now) - this.#reserve(now, limit);
    return Math.min(left, this.#share(limit) - held);
  }

  /** Slots kept free: 0.5 % of the limit, and what others may send until the next response shows it. */
  #reserve(now: number, limit: number): number {
    const expected = this.#others.rate(now) * Math.max(0, now - this.#knownAt);
    const reserve = Math.max(1, limit * 0.005) + expected + 2 * Math.sqrt(expected);
    return Math.min(reserve, Math.max(0, limit - 1));
  }

  /**
   * Returns when a probe may be sent. It may use the reserve, but no slot that is known to be taken. Other clients may
   * all have stopped for the same reason and probe now as well, so it leaves room for their probes.
   */
  #probeAt(now: number, limit: number): number {
    const held = this.#own.held(now);
    const others = this.#others.count(now);
    const theirs = others === 0 ? 0 : Math.min(Math.max(2, limit * PROBES_OF_OTHERS), limit - 1);
    const free = held < this.#share(limit) && held + others + theirs < limit;
    return free ? now : Math.max(now + 1, this.#nextFree(now));
  }

  #nextFree(now: number): number {
    return Math.min(this.#own.nextFree(now), this.#others.nextFree(now));
  }

  /** The time between requests at an even pace, in ms. */
  #gap(now: number, limit: number): number {
    const windowMs = this.#windowMs;
    const others = this.#others.count(now);
    // What others will leave once they have sent at this rate for a window. This client keeps at least half of what
    // they leave now, or two clients would stop for each other.
    const leave = Math.max(limit - this.#others.rate(now) * windowMs, (limit - others) / 2);
    return windowMs / Math.max(1, Math.min(this.#share(limit), limit - others, leave));
  }

  /** The most slots that this client may hold. */
  #share(limit: number): number {
    return Math.max(1, Math.floor(limit * this.#options.share));
  }
}
