import type { Client } from '../client/client.ts';
import { ApiError, TransportError } from '../client/errors.ts';
import type { EndpointName } from '../contract/endpoints.ts';
import { HEADERS } from '../contract/headers.ts';
import type { RecordKind } from './check.ts';
import { type Send, SendFailure } from './send.ts';

const ENDPOINT: Record<RecordKind, EndpointName> = { events: 'ingestEvents', users: 'ingestUsers' };

/** Sends batches with the client, which paces and repeats. */
export function sendWith(client: Client, kind: RecordKind): Send {
  return async (body, idempotencyKey, signal) => {
    try {
      const answer = await client.call(ENDPOINT[kind], { raw: body, idempotencyKey, signal });
      return { status: answer.status, requestId: answer.headers[HEADERS.requestId], body: answer.body };
    } catch (error) {
      if (error instanceof ApiError) {
        const { status, requestId, message, details, body: content } = error;
        return { status, requestId, message, details, body: content, error };
      }
      if (error instanceof TransportError) throw new SendFailure(error.message, error.sent, { cause: error });
      throw error;
    }
  };
}
