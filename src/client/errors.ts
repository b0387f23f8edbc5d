import type { Detail } from '../contract/validation.ts';

/**
 * No response arrived. `sent` is false if nothing of the request was written, so that it had no effect, and true if it
 * may have been processed.
 */
export class TransportError extends Error {
  readonly sent: boolean;
  readonly reason: 'unreachable' | 'lost' | 'timeout' | 'answer' | 'aborted';

  constructor(reason: TransportError['reason'], sent: boolean, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TransportError';
    this.reason = reason;
    this.sent = sent;
  }
}

/** The service responded with a status other than 2xx. The texts are untrusted: sanitize them before printing. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  readonly requestId: string | undefined;
  readonly details: readonly Detail[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;

  constructor(
    status: number,
    headers: Readonly<Record<string, string>>,
    body: unknown,
    requestId: string | undefined,
    /** The message if the body has none. */
    fallback = `the service responded with status ${status}`,
  ) {
    const fields = isObject(body) ? body : {};
    const text = (key: string) => (typeof fields[key] === 'string' ? fields[key] : undefined);
    super(text('message') ?? text('error') ?? fallback);
    this.name = 'ApiError';
    this.status = status;
    this.code = text('code') ?? text('error');
    this.requestId = text('requestId') ?? requestId;
    this.details = Array.isArray(fields.details) ? fields.details.filter(isDetail) : [];
    this.headers = headers;
    this.body = body;
  }
}

/** True if the error says that the service does not support the operation (docs/design-choices.md). */
export function isUnsupported(error: unknown): boolean {
  return error instanceof ApiError && [404, 405, 501].includes(error.status);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isDetail(value: unknown): value is Detail {
  if (!isObject(value) || typeof value.message !== 'string') return false;
  return (
    typeof (value.field ?? '') === 'string' && (value.index === undefined || Number.isInteger(value.index))
  );
}
