import type { Detail } from './validation.ts';

/** All errors that the service can respond with, and their HTTP status (docs/design-choices.md). */
export const SERVICE_ERRORS = {
  invalid_request: { status: 400, message: 'The request is not valid.' },
  unauthorized: { status: 401, message: 'The API key is missing or not known.' },
  forbidden: { status: 403, message: 'The API key belongs to another workspace.' },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'This address does not take this method.' },
  conflict: { status: 409, message: 'The idempotency key was used with another body.' },
  payload_too_large: { status: 413, message: 'The body is larger than 8 MiB.' },
  unsupported_media_type: { status: 415, message: 'The body must be application/json.' },
  rate_limited: { status: 429, message: 'The workspace is over its limit.' },
  internal: { status: 500, message: 'The service failed. The request was not carried out.' },
  unavailable: { status: 503, message: 'The service cannot store data right now. Try again.' },
} as const;

export type ServiceErrorName = keyof typeof SERVICE_ERRORS;

/** The body of an error response. `error` and `code` differ only in case (specification: Errors). */
export interface ErrorBody {
  error: string;
  code: string;
  requestId: string;
  message: string;
  details?: Detail[];
}

/** Thrown inside the service to respond with an error. */
export class ServiceError extends Error {
  readonly reason: ServiceErrorName;
  readonly details: Detail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(
    reason: ServiceErrorName,
    message?: string,
    details?: Detail[],
    headers: Record<string, string> = {},
  ) {
    super(message ?? SERVICE_ERRORS[reason].message);
    this.name = 'ServiceError';
    this.reason = reason;
    this.details = details;
    this.headers = headers;
  }

  get status(): number {
    return SERVICE_ERRORS[this.reason].status;
  }

  /** Returns the JSON body of the response. */
  body(requestId: string): ErrorBody {
    return {
      error: this.reason,
      code: this.reason.toUpperCase(),
      requestId,
      message: this.message,
      ...(this.details ? { details: this.details } : {}),
    };
  }
}
