import { deliveryHeaders } from '../../contract/delivery-headers.ts';
import { secretAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Cipher } from '../platform/crypto/cipher.ts';
import type { Egress } from '../platform/egress/egress.ts';
import { DELIVERY_DEADLINE_MS, type PostResult, type post } from '../platform/egress/post.ts';
import type { Platform } from '../platform/platform.ts';
import { traceHeaders } from '../platform/tracing/tracing.ts';
import { recordResult } from '../platform/workers/record-result.ts';
import { type ClaimedDelivery, deliveries } from './store/deliveries.ts';

/** Results of one subscription that are stored at a time. */
const STORED_AT_ONCE = 4;

/** Returns a function that sends a claimed delivery once and stores the result. It never rejects. */
export function deliveryAttempt(
  platform: Omit<Platform, 'share' | 'repeatable'>,
  egress: Egress,
  send: typeof post,
  stopping: AbortSignal,
): (claimed: ClaimedDelivery) => Promise<void> {
  const { store, clock, machine, log, random, cipher, precedence, tracing } = platform;

  const sendSigned = async (claimed: ClaimedDelivery): Promise<PostResult> => {
    const body = Buffer.from(claimed.body);
    const headers = deliveryHeaders(claimed.deliveryId, machine.now(), body, secretsOf(claimed, cipher));
    const route = egress.to(claimed.url);
    if ('refused' in route) return { status: null, error: route.refused, retryAfterMs: null };
    const span = tracing.start({
      kind: 'client',
      name: 'POST webhook',
      parent: claimed.trace,
      attributes: { 'http.request.method': 'POST', 'svc.delivery_id': claimed.deliveryId },
    });
    const result = await send(
      claimed.url,
      body,
      { ...headers, ...traceHeaders(span) },
      {
        ...route,
        deadlineMs: DELIVERY_DEADLINE_MS,
        now: machine.now,
        signal: stopping,
      },
    );
    span.end(result.status);
    return result;
  };

  return async (claimed) => {
    try {
      await precedence.yieldToRequests();
      const startedAt = clock.now();
      const began = machine.now();
      const result = await sendSigned(claimed);
      if (result.status === null && stopping.aborted) {
        await store.write((tx) => deliveries.release(tx, claimed), { durable: false });
        return;
      }
      const durationMs = machine.now() - began;
      await recordResult(
        platform,
        stopping,
        (tx) =>
          deliveries.finish(tx, claimed, { ...result, startedAt, durationMs, endedAt: tx.now }, random()),
        // A failure locks the row of the subscription. Without the limit, each waiting result would hold a connection.
        { durable: false, concurrencyKeys: [{ key: `results ${claimed.webhookId}`, max: STORED_AT_ONCE }] },
      );
    } catch (error) {
      // The delivery is attempted again after its lease expires.
      log('error', 'cannot store the result of a delivery attempt', {
        deliveryId: claimed.deliveryId,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  };
}

/** The secrets that sign a delivery: the current one, and during a rotation the previous one. */
function secretsOf(claimed: ClaimedDelivery, cipher: Cipher): [string, ...string[]] {
  const associatedData = secretAssociatedData(claimed.webhookId);
  const current = cipher.open(claimed.secret, associatedData);
  return claimed.previousSecret === null
    ? [current]
    : [current, cipher.open(claimed.previousSecret, associatedData)];
}
