/** How far a guess may be exceeded before it counts as wrong: slots free here later than at the service. */
const TOLERANCE = 0.05;
/** A guess above this is dropped: twice the highest limit in the specification. */
const NO_LIMIT = 10_000;

/** The 429 response that a guess is made from. */
export interface Refusal {
  /** Requests of this client that the window held. */
  readonly accepted: number;
  /** The service allowed a retry before any slot of this client freed, so this client alone had not filled the window. */
  readonly retryBeforeFree: boolean;
}

/**
 * Guesses the limit of a service that sends no rate-limit headers from its 429 responses.
 *
 * A guess grows by a quarter per window while it lies below what was accepted before, then by 0.5 %. If more than the
 * refused window held is accepted, the guess was wrong (a burst limit, or a shorter window): it doubles, then grows by
 * half with each accepted request until the next 429, or until it is dropped.
 */
export class LimitGuess {
  /** The most requests that were accepted in one window. */
  #mostAccepted = 0;
  /** Undefined once the guess has turned out wrong. */
  #refusal: Refusal | undefined;

  /** Makes a guess from a 429. Returns the limit. */
  refused(refusal: Refusal): number {
    this.#mostAccepted = Math.max(this.#mostAccepted, refusal.accepted);
    this.#refusal = refusal;
    return Math.max(1, refusal.accepted);
  }

  /**
   * Raises the guess `limit` after an accepted request. Returns the new limit, or undefined if the guess is dropped.
   * The window held `before` accepted requests before this one and holds `after` with it.
   */
  accepted(limit: number, before: number, after: number): number | undefined {
    this.#mostAccepted = Math.max(this.#mostAccepted, after);
    const refusal = this.#refusal;
    if (refusal && !isExceeded(refusal, before))
      return limit + (limit < 0.9 * this.#mostAccepted ? 0.25 : 0.005);
    this.#refusal = undefined;
    const raised = refusal ? Math.max(limit, 2 * (before + 1) + 2) : limit * 1.5;
    return raised <= NO_LIMIT ? raised : undefined;
  }
}

function isExceeded({ accepted, retryBeforeFree }: Refusal, held: number): boolean {
  return held >= Math.floor(accepted * (retryBeforeFree ? 1 : 1 + TOLERANCE));
}
