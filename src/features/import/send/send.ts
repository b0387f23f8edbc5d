import type { Detail } from '../../../contract/validation.ts';

/** What a service answered to one request, after whatever the client did to get an answer. */
export interface Answer {
  readonly status: number;
  readonly requestId?: string | undefined;
  /** The service's words for a refusal. */
  readonly message?: string | undefined;
  readonly details?: readonly Detail[] | undefined;
  /** The parsed body, for those who print it. */
  readonly body?: unknown;
  /** An earlier try of the same request may have been carried out. */
  readonly ambiguous?: boolean | undefined;
  /** The client's error for an answer that is no success. */
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

/** No answer could be had. `ambiguous`: the request may have been carried out. */
export class SendFailure extends Error {
  readonly ambiguous: boolean;
  /** It was stopped while it waited for its turn, and no try was made. */
  readonly neverSent: boolean;

  constructor(message: string, ambiguous: boolean, options?: ErrorOptions & { neverSent?: boolean }) {
    super(message, options);
    this.name = 'SendFailure';
    this.ambiguous = ambiguous;
    this.neverSent = options?.neverSent ?? false;
  }
}

/**
 * Sends one body under one key. Resolves to any answer, also a refusal; rejects with a SendFailure. A request that
 * waits for its turn gives up when `signal` aborts.
 */
export type Send = (body: Buffer, key: string, signal: AbortSignal) => Promise<Answer>;

/** Answers after which a later attempt may fare better. */
export function isUnavailable(status: number): boolean {
  return status >= 500 ? status !== 501 : status === 429 || status === 408;
}

/** Answers that blame the content of a batch: it is narrowed to its bad records. */
export function blamesContent(status: number): boolean {
  return status === 400 || status === 413 || status === 422;
}
