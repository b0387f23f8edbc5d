import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../contract/errors.ts';
import { HEADERS } from '../../contract/headers.ts';
import { newId } from '../../kit/id.ts';
import { DataKeyMissing } from '../platform/crypto/cipher.ts';
import type { Log } from '../platform/log.ts';
import { ConstraintViolation, StoreUnavailable, StoreUnusable } from '../platform/store/store.ts';
import { AnswerHeaders } from './answer-headers.ts';
import { discardRest } from './body.ts';

/** Maps an error of a handler to the error to answer with, and logs those that the caller did not cause. */
export function toServiceError(error: unknown, log: Log, requestId: string): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof ConstraintViolation) {
    return new ServiceError('invalid_request', undefined, [
      { field: 'body', message: 'holds a value that cannot be stored' },
    ]);
  }
  if (error instanceof DataKeyMissing)
    return unavailable('This node was not given the data key, which the request needs.');
  if (error instanceof StoreUnavailable) {
    log('error', 'the store is unavailable', { requestId, reason: error.message });
    return unavailable();
  }
  log('error', 'a request failed', {
    requestId,
    reason: error instanceof Error ? error.stack : String(error),
  });
  if (error instanceof StoreUnusable)
    return new ServiceError('internal', 'The data of the service cannot be used; its log says why.');
  return new ServiceError('internal');
}

function unavailable(message?: string): ServiceError {
  return new ServiceError('unavailable', message, undefined, { [HEADERS.retryAfter]: '1' });
}

/** The response for an error, once the rest of the request body is discarded. `headers` are those set so far. */
export async function errorResponse(
  error: ServiceError,
  incoming: IncomingMessage,
  requestId = newId('req'),
  headers = new AnswerHeaders(),
): Promise<Response> {
  headers.set(HEADERS.requestId, requestId);
  headers.set('content-type', 'application/json');
  for (const [name, value] of Object.entries(error.headers)) headers.set(name, value);
  await discardRest(incoming);
  return new Response(JSON.stringify(error.body(requestId)), {
    status: error.status,
    headers: headers.fields,
  });
}

/** The parts of an error response that is sent before the application sees the request; it ends the connection. */
export function closingResponse(error: ServiceError): {
  status: number;
  text: string;
  headers: Record<string, string>;
} {
  const requestId = newId('req');
  const headers = { connection: 'close', 'content-type': 'application/json', [HEADERS.requestId]: requestId };
  return { status: error.status, text: JSON.stringify(error.body(requestId)), headers };
}
