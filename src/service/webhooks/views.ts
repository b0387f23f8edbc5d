import type { Webhook } from '../../contract/schemas.ts';
import type { CatchUp } from './store/catch-up.ts';
import type { StoredDelivery } from './store/records.ts';
import type { Redelivery } from './store/redeliveries.ts';
import type { StoredWebhook } from './store/webhooks.ts';

/** An instant as answers have it. */
export const iso = (at: number) => new Date(at).toISOString();

/** A subscription as answers have it, with how far it caught up. */
export function webhookView(webhook: StoredWebhook, catchUp?: CatchUp): Webhook {
  const {
    id,
    url,
    events,
    status,
    createdAt,
    disabledReason,
    disabledAt,
    leaseUntil,
    secretVersion,
    secretSince,
    failingSince,
    filter,
    description,
    maxRate,
    headerNames,
  } = webhook;
  return {
    id,
    url,
    events: [...events],
    status,
    createdAt: iso(createdAt),
    secretVersion,
    secretSince: iso(secretSince),
    ...(failingSince === null ? {} : { failingSince: iso(failingSince) }),
    ...(filter === null ? {} : { filter }),
    ...(description === null ? {} : { description }),
    ...(maxRate === null ? {} : { maxRate }),
    ...(headerNames.length === 0 ? {} : { headers: [...headerNames] }),
    ...(disabledReason === null ? {} : { disabledReason }),
    ...(disabledAt === null ? {} : { disabledAt: iso(disabledAt) }),
    ...(leaseUntil === null ? {} : { leaseUntil: iso(leaseUntil) }),
    ...(catchUp && {
      catchingUp: {
        from: iso(catchUp.since),
        reached: iso(catchUp.reached),
        queued: catchUp.queued,
        allQueued: catchUp.again === 1,
      },
    }),
  };
}

/** Deliveries that are sent again, as answers have them. */
export function redeliveryView(redelivery: Redelivery): NonNullable<Webhook['redelivery']> {
  const { since, status, kinds, rate, startedAt, matched, queued, endedAt } = redelivery;
  return {
    since: iso(since),
    status,
    ...(kinds && { events: [...kinds] }),
    ...(rate === null ? {} : { rate }),
    startedAt: iso(startedAt),
    matched,
    queued,
    endedAt: endedAt === null ? null : iso(endedAt),
  };
}

/** A delivery with its attempts, as answers have it. */
export function deliveryView(delivery: StoredDelivery) {
  const { deliveryId, webhookId, kind, status, occurredAt, attempts, nextAttemptAt } = delivery;
  return {
    deliveryId,
    webhookId,
    type: kind,
    status,
    occurredAt: iso(occurredAt),
    attempts: attempts.map(({ at, error, signedBy, ...rest }) => ({
      at: iso(at),
      ...rest,
      ...(error === null ? {} : { error }),
      signedBy: [...signedBy],
    })),
    nextAttemptAt: nextAttemptAt === null ? null : iso(nextAttemptAt),
  };
}
