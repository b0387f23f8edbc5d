import type { Detail } from '../../../contract/validation.ts';

/** The final answer to a request, after the client's retries. */
export interface Answer {
  readonly status: number;
  readonly requestId?: string | undefined;
  /** The error message of the service. */
  readonly message?: string | undefined;
  readonly details?: readonly Detail[] | undefined;
  /** The parsed body. */
  readonly body?: unknown;
  /** An earlier attempt of the same request may have been processed. */
  readonly ambiguous?: boolean | undefined;
  /** The service keeps which run of an import sent the records. */
  readonly keepsRuns?: boolean | undefined;
  /** The client's error, if the answer is not a success. */
  readonly error?: Error | undefined;
}

/** The service refused the import as a whole, not a record of it. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(answer.message ?? `The service answered ${answer.status}.`);
    this.name = 'Refused';
    this.answer = answer;
  }
}

/** No answer was received. `ambiguous`: the request may have been processed. */
export class SendFailure extends Error {
  readonly ambiguous: boolean;
  /** It was stopped while it waited, before the first attempt. */
  readonly neverSent: boolean;

  constructor(message: string, ambiguous: boolean, options?: ErrorOptions & { neverSent?: boolean }) {
    super(message, options);
    this.name = 'SendFailure';
    this.ambiguous = ambiguous;
    this.neverSent = options?.neverSent ?? false;
  }
}

/**
 * Sends a body of `count` records with an idempotency key, and the run that sends them, if the kind of records has one. Resolves to any answer, also a refusal; rejects with a SendFailure,
 * or with NotAcknowledged. A request that waits gives up when `signal` aborts.
 */
export type Send = (
  body: Buffer,
  key: string,
  signal: AbortSignal,
  count: number,
  run?: string | undefined,
) => Promise<Answer>;

/** Returns whether a later attempt may succeed. */
export function isUnavailable(status: number): boolean {
  return status >= 500 ? status !== 501 : status === 429 || status === 408;
}

/** Returns whether an answer blames the content of a batch, which is then bisected. */
export function blamesContent(status: number): boolean {
  return status === 400 || status === 413 || status === 422;
}
