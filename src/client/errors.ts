import type { Detail } from '../contract/validation.ts';

/**
 * No answer arrived. `sent: false` when the connection was never made, so nothing can have happened;
 * `sent: true` when the request may have been carried out.
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

/** The service answered with anything but 2xx. Texts are the service's own: clean them before a terminal sees them. */
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
    /** What to say where the body gives no reason. */
    otherwise = `the service answered ${status}`,
  ) {
    const fields = isObject(body) ? body : {};
    const text = (key: string) => (typeof fields[key] === 'string' ? fields[key] : undefined);
    super(text('message') ?? text('error') ?? otherwise);
    this.name = 'ApiError';
    this.status = status;
    this.code = text('code') ?? text('error');
    this.requestId = text('requestId') ?? requestId;
    this.details = Array.isArray(fields.details) ? fields.details.filter(isDetail) : [];
    this.headers = headers;
    this.body = body;
  }
}

/** True where the service answered that it does not have the operation at all (docs/decisions.md). */
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
