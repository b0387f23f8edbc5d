import { requireAcknowledgement, type SentRecords } from '../../../client/acknowledgement.ts';
import type { Client } from '../../../client/client.ts';
import { ApiError, TransportError } from '../../../client/errors.ts';
import type { EndpointName } from '../../../contract/endpoints.ts';
import { declaresFeature, HEADERS } from '../../../contract/headers.ts';
import type { RecordKind } from '../record/record-kind.ts';
import { type Send, SendFailure } from './send.ts';

const ENDPOINT: Record<RecordKind, EndpointName> = { events: 'ingestEvents', users: 'ingestUsers' };

/** Sends batches with the client, which paces and retries. Aborting ends its waits; a request in progress is finished. */
export function sendWith(
  client: Client,
  kind: RecordKind,
  service: Pick<SentRecords, 'baseUrl' | 'acceptAny'>,
): Send {
  return async (body, idempotencyKey, waiting, count, run) => {
    // A service that does not know the header ignores it (RFC 9110, section 5.1).
    const headers: Record<string, string> = run === undefined ? {} : { [HEADERS.importRun]: run };
    let ambiguous = false;
    const onLost = () => {
      ambiguous = true;
    };
    try {
      const answer = await client.call(ENDPOINT[kind], {
        raw: body,
        headers,
        idempotencyKey,
        waiting,
        onLost,
      });
      requireAcknowledgement(answer, { kind, count, ...service });
      return {
        status: answer.status,
        requestId: answer.headers[HEADERS.requestId],
        body: answer.body,
        keepsRuns: declaresFeature(answer.headers, 'importRun'),
      };
    } catch (error) {
      if (error instanceof ApiError) {
        const { status, requestId, message, details, body: content } = error;
        return { status, requestId, message, details, body: content, error, ambiguous };
      }
      if (error instanceof TransportError) {
        const mayBeStored = ambiguous || error.sent;
        const neverSent = error.reason === 'aborted' && !mayBeStored;
        throw new SendFailure(error.message, mayBeStored, { cause: error, neverSent });
      }
      throw error;
    }
  };
}
