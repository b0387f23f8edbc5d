import type { RateAnswer } from './answer.ts';
import { OwnLog, type Sent } from './own-log.ts';
import { PeerUsage } from './peer-usage.ts';

export interface PaceOptions {
  /** Length of the service's window, in ms, unless the service shows another. */
  readonly windowMs: number;
  /** The part of the limit that may be used here, above 0 and at most 1. */
  readonly share: number;
  /** For the jitter of a pause. */
  readonly random: () => number;
}

/** What a pacer knows, for people to look at. */
export interface PaceState {
  /** Requests a window; undefined while no answer named or suggested one. */
  readonly limit: number | undefined;
  /** Length of the window, in ms. */
  readonly windowMs: number;
  /** Slots held by own requests, those in flight included. */
  readonly own: number;
  /** Slots that others are thought to hold. */
  readonly others: number;
  /** Unix ms until which a 429 stops all requests; undefined when nothing is stopped. */
  readonly pausedUntil: number | undefined;
}

/** The first backoff after a 429; it doubles up to the cap (specification: Recommended client behaviour). */
const BACKOFF_MS = 1000;
const BACKOFF_CAP_MS = 30_000;
const JITTER_MS = 500;
/** The window is taken as agreed while what the service shows differs by no more than its whole seconds do, in ms. */
const WINDOW_SLACK_MS = 2000;
/** A guess is off by as much as slots free here later than at the service: a part of it. */
const GUESS_SLACK = 0.05;
/** A guess above this is none: twice the most that the specification gives any group. */
const NO_LIMIT = 10_000;
const LONGEST_WINDOW_MS = 24 * 3600_000;
/** The part of the limit that is left to the others when this client sends without knowing where they stand. */
const PROBES_OF_OTHERS = 0.015;
/** How far sending may lag behind an even pace and still catch up, in ms: a stalled event loop loses nothing. */
const CATCH_UP_MS = 500;

/**
 * When the next request of one rate-limit group may be sent, so that a 429 does not happen. Synchronous, and time is
 * an argument: it runs on a virtual clock as well as on a real one.
 *
 * The rules: (1) own requests hold their slot as `OwnLog` says, others' use is inferred as `OthersLog` says; (2) both
 * together with a reserve stay under the limit, the reserve covering what others may send before the next answer tells;
 * (3) the first request goes alone to learn what remains, later ones evenly, and a job at once where it fits in half of
 * what remains; (4) a 429 stops everything once, after which one request goes ahead alone again.
 * Without any rate-limit header nothing is held back until a 429, which then shows how much was let through.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #own: OwnLog;
  readonly #others: PeerUsage;
  #windowMs: number;
  #limit: number | undefined;
  /** True where the limit is a guess from a 429 and not from a header. */
  #guessed = false;
  /** The most requests that were ever let through in a window while the limit is a guess. */
  #proven = 0;
  /** What the window held when the guess was made; undefined once more than that was let through. */
  #guess: number | undefined;
  /** The 429 of the guess invited back before any own slot freed: it was not the own requests that filled a window. */
  #invited = false;
  /** True until an answer showed how much is used. */
  #fresh = true;
  /** The request that went ahead alone. */
  #probe: Sent | undefined;
  /** Send time of the youngest request whose answer has told something. */
  #knownAt = -Infinity;
  /** Where the even pace stands: the next request is due one gap later. */
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
   * When to send, in ms: at or before `now` means now; later means ask again then; Infinity means ask again once a
   * request in flight was answered. `job` is how many requests are still to come, this one included.
   */
  ask(now: number, job: number): number {
    if (now < this.#pausedUntil) return this.#pausedUntil;
    const inFlight = this.#own.inFlight;
    if (this.#probe !== undefined) return Infinity;
    const limit = this.#limit;
    if (this.#fresh) {
      if (inFlight > 0) return Infinity;
      // Requests whose answers were lost hold their slots also when nothing else is known.
      const full = limit !== undefined && !this.#guessed && this.#own.held(now) >= this.#share(limit);
      return full ? this.#own.nextFree(now) : now;
    }
    if (limit === undefined) return now;
    const idle = now - this.#knownAt;
    if (inFlight === 0 && idle > this.#windowMs / 4) return this.#mayProbe(now, limit);
    const room = this.#room(now, limit);
    if (room >= 1) return job <= room / 2 ? now : Math.max(now, this.#paceAt + this.#gap(now, limit));
    const patience = this.#knownAt + this.#windowMs / 10;
    if (inFlight === 0 && now >= patience) return this.#mayProbe(now, limit);
    return Math.max(now + 1, Math.min(this.#nextFree(now), inFlight === 0 ? patience : Infinity));
  }

  /** To be called when a request leaves. */
  sent(now: number): Sent {
    const idle = now - this.#knownAt > this.#windowMs / 4;
    const request = this.#own.send(now);
    if (this.#own.inFlight === 1 && (this.#fresh || (this.#limit !== undefined && idle)))
      this.#probe = request;
    if (this.#limit !== undefined) {
      const gap = this.#gap(now, this.#limit);
      this.#paceAt = Math.max(this.#paceAt + gap, now - Math.max(gap, CATCH_UP_MS));
    }
    return request;
  }

  /** To be called once for a request whose answer arrived. */
  answered(request: Sent, now: number, answer: RateAnswer): void {
    if (this.#probe === request) this.#probe = undefined;
    if (answer.limit !== undefined) this.#learnLimit(answer.limit);
    if (answer.status === 429) this.#refused(request, now, answer);
    else this.#counted(request, now, answer);
    this.#own.prune(now);
    this.#others.prune(this.#own.oldestInFlight(now));
  }

  /** To be called once for a request that got no answer. `counted` false: it surely never reached the service. */
  failed(request: Sent, now: number, counted: boolean): void {
    if (this.#probe === request) this.#probe = undefined;
    if (counted) this.#own.doubt(request, now);
    else this.#own.release(request);
  }

  state(now: number): PaceState {
    return {
      limit: this.#limit,
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

  /** The only request in the window leaves it after exactly one window. */
  #learnWindow(shown: number): void {
    const agreed = Math.abs(shown - this.#options.windowMs) <= WINDOW_SLACK_MS;
    this.#windowMs = agreed ? this.#options.windowMs : Math.min(LONGEST_WINDOW_MS, Math.max(1000, shown));
    this.#own.windowMs = this.#windowMs;
    this.#others.windowMs = this.#windowMs;
  }

  #counted(request: Sent, now: number, answer: RateAnswer): void {
    const before = this.#own.countedAt(request, now);
    const held = this.#own.accepted(now);
    this.#own.answer(request, now);
    if (request.at >= this.#pausedAt) this.#pauses = 0;
    const limit = this.#limit;
    if (limit !== undefined && answer.limit !== undefined && answer.remaining !== undefined) {
      const used = Math.max(0, limit - answer.remaining);
      if (used === 1 && answer.resetExact && answer.resetIn) this.#learnWindow(answer.resetIn);
      const least = Math.max(0, used - before.most);
      if (this.#fresh) this.#others.restart(least, now + (answer.resetIn ?? 0), now);
      else this.#others.observe(least, Math.max(0, used - before.least), request.at, now);
    } else if (limit !== undefined && this.#guessed) {
      this.#grow(limit, held, now);
    }
    this.#fresh = false;
    this.#knownAt = Math.max(this.#knownAt, request.at);
  }

  /**
   * Without headers: a guess grows by a quarter in a window while it lies under what was possible once, then by 0.5 %.
   * Where a request was let through that it had no room for, it was wrong (a 429 in a burst, or of a shorter window):
   * it doubles, and grows by half with each further answer until the next 429 or until it is none any more.
   */
  #grow(limit: number, held: number, now: number): void {
    this.#proven = Math.max(this.#proven, this.#own.accepted(now));
    const wrong =
      this.#guess === undefined || held >= Math.floor(this.#guess * (this.#invited ? 1 : 1 + GUESS_SLACK));
    if (!wrong) this.#limit = limit + (limit < 0.9 * this.#proven ? 0.25 : 0.005);
    else {
      const more = this.#guess === undefined ? limit * 1.5 : Math.max(limit, 2 * (held + 1) + 2);
      this.#guess = undefined;
      this.#guessed = more <= NO_LIMIT;
      this.#limit = this.#guessed ? more : undefined;
    }
  }

  #refused(request: Sent, now: number, answer: RateAnswer): void {
    this.#own.release(request);
    const retryAfter = answer.retryAfter ?? 0;
    if (this.#limit === undefined || this.#guessed) {
      const accepted = this.#own.accepted(now);
      this.#proven = Math.max(this.#proven, accepted);
      this.#limit = Math.max(1, accepted);
      this.#guessed = true;
      this.#guess = accepted;
      this.#invited = retryAfter > 0 && now + retryAfter + WINDOW_SLACK_MS < this.#own.nextFree(now);
    }
    this.#fresh = true;
    if (request.at < this.#pausedAt) {
      // Sent before the pause began: part of the same refusal, it only has to be obeyed.
      this.#pausedUntil = Math.max(this.#pausedUntil, now + retryAfter);
      return;
    }
    const backoff = Math.min(BACKOFF_CAP_MS, BACKOFF_MS * 2 ** this.#pauses++);
    const pause = Math.max(retryAfter, backoff) + this.#options.random() * JITTER_MS;
    this.#pausedAt = now;
    this.#pausedUntil = Math.max(this.#pausedUntil, now + pause);
  }

  /** Slots that may be taken now. */
  #room(now: number, limit: number): number {
    const held = this.#own.held(now);
    const left = limit - held - this.#others.count(now) - this.#reserve(now, limit);
    return Math.min(left, this.#share(limit) - held);
  }

  /** Kept free: 0.5 % of the limit, and what others may send until the next answer shows it. */
  #reserve(now: number, limit: number): number {
    const expected = this.#others.rate(now) * Math.max(0, now - this.#knownAt);
    const reserve = Math.max(1, limit * 0.005) + expected + 2 * Math.sqrt(expected);
    return Math.min(reserve, Math.max(0, limit - 1));
  }

  /**
   * A request alone, when nothing has been heard for long: it may use the reserve, but no slot known to be taken. Where
   * there are others, all of them may have stopped for the same reason and now do the same: it leaves room for theirs.
   */
  #mayProbe(now: number, limit: number): number {
    const held = this.#own.held(now);
    const others = this.#others.count(now);
    const theirs = others === 0 ? 0 : Math.min(Math.max(2, limit * PROBES_OF_OTHERS), limit - 1);
    const free = held < this.#share(limit) && held + others + theirs < limit;
    return free ? now : Math.max(now + 1, this.#nextFree(now));
  }

  #nextFree(now: number): number {
    return Math.min(this.#own.nextFree(now), this.#others.nextFree(now));
  }

  #gap(now: number, limit: number): number {
    const windowMs = this.#windowMs;
    const others = this.#others.count(now);
    // What the others will hold once they have sent at this rate for a window; at least half of what they leave now
    // stays for this client, or two of them would stop for each other.
    const leave = Math.max(limit - this.#others.rate(now) * windowMs, (limit - others) / 2);
    return windowMs / Math.max(1, Math.min(this.#share(limit), limit - others, leave));
  }

  /** The most slots that may be held here. */
  #share(limit: number): number {
    return Math.max(1, Math.floor(limit * this.#options.share));
  }
}
