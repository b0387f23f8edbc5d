import type { Client } from '../../../client/client.ts';
import { ApiError, TransportError } from '../../../client/errors.ts';
import { declaresFeature } from '../../../contract/headers.ts';
import type { Outage } from './outage.ts';
import { Refused, type Send, SendFailure } from './send.ts';

/**
 * Returns whether a service declares in its answers that it takes `eventId`, by a read without effect. Waits for it during
 * an outage as for batches. Throws Unavailable, and Refused where the key is not valid.
 */
export async function declaresEventIds(
  client: Pick<Client, 'call'>,
  outage: Outage,
  stop: AbortSignal,
): Promise<boolean> {
  let declared = false;
  const read = (headers: Readonly<Record<string, string>>) => {
    declared = declaresFeature(headers, 'eventId');
  };
  const send: Send = async (_body, _key, waiting) => {
    try {
      const { status, headers } = await client.call('listWebhooks', { waiting });
      read(headers);
      return { status };
    } catch (error) {
      if (error instanceof TransportError) throw new SendFailure(error.message, false, { cause: error });
      if (!(error instanceof ApiError)) throw error;
      read(error.headers);
      return { status: error.status, requestId: error.requestId, message: error.message, error };
    }
  };
  const answer = await outage.send(send, Buffer.alloc(0), '', stop, 0);
  if (answer.status === 401) throw new Refused(answer);
  return declared;
}
