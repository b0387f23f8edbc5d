import type { Detail } from '../../contract/validation.ts';

/** A request that the console answers itself, with an error in the form of the service's own. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  readonly error: string;
  /** More fields of the body. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    error: string,
    message: string,
    more: {
      readonly details?: readonly Detail[];
      readonly notOffered?: true;
      /** When the console can send the request, in ms from now. */
      readonly retryAfterMs?: number;
    } = {},
  ) {
    super(message);
    this.status = status;
    this.error = error;
    this.more = more;
  }

  /** Returns the JSON body of the response. */
  body(): Record<string, unknown> {
    return { error: this.error, code: this.error.toUpperCase(), message: this.message, ...this.more };
  }
}

/** The refusal of a change by a console that only reads. */
export const readOnly = () =>
  new Refusal(403, 'read_only', 'This console is read-only: start it with --write to change something.');
