import * as z from 'zod/mini';
import { EVENT_KINDS } from '../event-kind-names.ts';
import { MAX_NAME } from '../limits.ts';
import {
  about,
  after,
  beyond,
  bounded,
  fields,
  instant,
  named,
  next,
  requestId,
  time,
  uri,
} from '../parts.ts';

const kind = named('EventKind', 'Kind of event that a subscription can name.', z.enum(EVENT_KINDS));
const kinds = () => about('Kinds of event to deliver.', z.array(kind).check(z.minLength(1), z.maxLength(32)));
const secret = () =>
  about(
    'Secret that signs the deliveries. Its UTF-8 bytes are the key; it is never decoded and never returned.',
    bounded(16, MAX_NAME),
  );
const webhookUrl = () =>
  about('Address that receives the deliveries: https, and not in a private network.', uri());
const lease = () =>
  beyond(
    about(
      'The subscription ends after this many seconds unless renewed.',
      z.optional(z.int().check(z.minimum(5), z.maximum(86_400))),
    ),
  );
const filter = () =>
  beyond(
    about(
      'Only outcomes that pass: terms such as `contentId:summer_* channel:push -surface:home` over type, contentId, templateId, channel, surface, category and goalId. Empty: all.',
      z.optional(bounded(0, 1000)),
    ),
  );
const rate = z.int().check(z.minimum(1), z.maximum(1000));
const RATE = 'At most so many deliveries a second.';
const description = () => beyond(about('What it is for, in your words.', z.optional(bounded(0, 500))));
const headers = () =>
  beyond(
    about(
      'Headers of each delivery, such as a key of your gateway: none that the service or the connection sets. Sealed; values are never returned. Replaces all; empty for none.',
      z.optional(fields(bounded(1, 4096), 8192)),
    ),
  );
const status = named('WebhookStatus', 'Whether deliveries are sent.', z.enum(['active', 'disabled']));

export const CreateWebhookRequest = named(
  'CreateWebhookRequest',
  'Subscribes a URL to kinds of event.',
  z.strictObject({
    url: webhookUrl(),
    events: kinds(),
    signingSecret: secret(),
    leaseSeconds: lease(),
    filter: filter(),
    description: description(),
    maxRate: beyond(about(RATE, z.optional(rate))),
    headers: headers(),
    from: beyond(
      about(
        'First deliver the outcomes since this time, in order of occurrence, and then what occurs. Default: only what occurs.',
        z.optional(instant()),
      ),
    ),
  }),
);
export const UpdateWebhookRequest = named(
  'UpdateWebhookRequest',
  'Changes a subscription. What is left out stays as it was.',
  beyond(
    z.strictObject({
      url: z.optional(webhookUrl()),
      events: z.optional(kinds()),
      status: z.optional(status),
      leaseSeconds: lease(),
      filter: filter(),
      description: description(),
      maxRate: about(`${RATE} Null: no limit.`, z.optional(z.nullable(rate))),
      headers: headers(),
      from: about(
        'Also deliver the outcomes since `disabled`, when it was disabled last, or since a time; it must be active. Default `now`: none.',
        z.optional(z.union([z.enum(['now', 'disabled']), instant()])),
      ),
    }),
  ),
);
const REDELIVERED = ['failed', 'undelivered', 'all'] as const;
const REDELIVERED_WORDS =
  '`failed`: those that were given up; `undelivered`: also those that wait for their next attempt, which comes at once; `all`: also those that were delivered.';
export const RedeliverManyRequest = named(
  'RedeliverManyRequest',
  'Which deliveries of a subscription are sent again.',
  beyond(
    z.strictObject({
      since: about('Those of outcomes since then.', instant()),
      status: about(`${REDELIVERED_WORDS} Default: \`failed\`.`, z.optional(z.enum(REDELIVERED))),
      events: z.optional(kinds()),
      rate: about(
        'How many a second at most. Default: as fast as they are answered.',
        z.optional(z.int().check(z.minimum(1), z.maximum(10_000))),
      ),
      dryRun: about('Only count them.', z.optional(z.boolean())),
    }),
  ),
);
export const RotateWebhookRequest = named(
  'RotateWebhookRequest',
  'Replaces the signing secret. For 24 hours, `webhook-signature` has a signature by each secret.',
  beyond(z.strictObject({ signingSecret: secret() })),
);

const Redelivery = named(
  'Redelivery',
  'Deliveries of a subscription that are sent again, in order of occurrence and behind new ones.',
  z.object({
    since: time('Those since when.'),
    status: about(REDELIVERED_WORDS, z.enum(REDELIVERED)),
    events: about('Of which kinds; missing for all.', z.optional(z.array(z.string()))),
    rate: about('How many a second at most; missing without a limit.', z.optional(z.int())),
    startedAt: time('When it began.'),
    matched: about('How many there were then, counted up to 100,000.', z.int()),
    queued: about('How many were queued.', z.int()),
    endedAt: about('When all were queued; null before that.', z.nullable(z.string()), {
      format: 'date-time',
    }),
  }),
);

/** How attempts to deliver went, as fields. */
export const performance = () => ({
  attempts: about('How many were made.', z.int()),
  delivered: about('How many were answered with 2xx.', z.int()),
  p50Ms: about(
    'Within about how many milliseconds half of those that were answered were; missing if none was.',
    z.optional(z.int()),
  ),
  p95Ms: about('The same of 95 %.', z.optional(z.int())),
});
const Performance = named('WebhookPerformance', 'How the attempts to deliver went.', z.object(performance()));

export const Webhook = named(
  'Webhook',
  'A webhook subscription. The signing secret is never returned.',
  beyond(
    z.object({
      id: about('Identifier of the subscription.', z.string()),
      url: about('Address that receives the deliveries.', z.string(), { format: 'uri' }),
      events: about('Kinds of event that are delivered.', z.array(z.string())),
      status,
      createdAt: time('When it was created.'),
      secretVersion: about(
        'Version of the signing secret: 1, and one more with each rotation.',
        z.optional(z.int()),
      ),
      secretSince: about('When the signing secret was set.', z.optional(z.string()), { format: 'date-time' }),
      filter: about('Which outcomes of its kinds it gets; missing for all.', z.optional(z.string())),
      description: about('What it is for.', z.optional(z.string())),
      maxRate: about(RATE, z.optional(z.int())),
      headers: about('Names of the headers of each delivery.', z.optional(z.array(z.string()))),
      disabledReason: about('Why it is disabled, in words.', z.optional(z.string())),
      disabledAt: about('When it was disabled last.', z.optional(z.string()), { format: 'date-time' }),
      failingSince: about(
        'The first failed attempt since one succeeded, or since it was enabled; missing if the latest succeeded.',
        z.optional(z.string()),
        { format: 'date-time' },
      ),
      pending: about(
        'Its deliveries that wait for an attempt, counted up to 10,000; in a list up to 1,000, where it is asked for.',
        z.optional(z.int()),
      ),
      missed: about(
        'The outcomes of its kinds since it was disabled, or since `from`.',
        z.optional(
          z.object({
            from: time('Since when they are counted.'),
            outcomes: about('How many there are, counted up to 100,000.', z.int()),
            erased: about('Of these, outcomes of erased users, which are not delivered.', z.int()),
            removedBefore: about('Outcomes before this time were removed by age.', z.optional(z.string()), {
              format: 'date-time',
            }),
          }),
        ),
      ),
      catchingUp: about(
        'While it gets what it missed.',
        z.optional(
          z.object({
            from: time('Since when.'),
            reached: time('Up to when the outcomes are queued.'),
            queued: about('How many were queued.', z.int()),
            allQueued: about('True once all are; the end of the log is then read again.', z.boolean()),
          }),
        ),
      ),
      redelivery: about('What is sent again, or was at last.', z.optional(Redelivery)),
      performance: about(
        'How deliveries went. An hour is up to 5 minutes longer, a day and a week up to an hour. It does not depend on which deliveries are kept.',
        z.optional(z.object({ hour: Performance, day: Performance, week: Performance })),
      ),
      leaseUntil: about('When it ends unless renewed.', z.optional(z.string()), { format: 'date-time' }),
    }),
  ),
);
export type Webhook = z.infer<typeof Webhook>;
export const RedeliverManyAnswer = named(
  'RedeliverManyAnswer',
  'How many deliveries there are, and unless they were only counted, what is done.',
  beyond(
    z.object({
      matched: about('How many there are, counted up to 100,000.', z.int()),
      removedBefore: about('Deliveries before this time were removed by age.', z.optional(z.string()), {
        format: 'date-time',
      }),
      redelivery: about('What is sent again; missing if they were only counted.', z.optional(Redelivery)),
    }),
  ),
);
export const StopRedeliveryAnswer = Redelivery;
export const GetWebhookQuery = z.strictObject({
  from: about(
    'Count what it missed since then: `disabled` or a time.',
    z.optional(z.union([z.enum(['disabled']), instant()])),
  ),
});
export const ListWebhooksQuery = z.strictObject({
  pending: about(
    'With how many deliveries of each wait for an attempt; a page then has up to 100 subscriptions.',
    z.optional(z.enum(['true'])),
  ),
  after: after(),
});
export const ListWebhooksAnswer = named(
  'ListWebhooksAnswer',
  'A page of the subscriptions.',
  beyond(z.object({ webhooks: about('The subscriptions.', z.array(Webhook)), next: next() })),
);

export const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
const deliveryStatus = named('DeliveryStatus', 'State of a delivery.', z.enum(DELIVERY_STATES));
const DeliveryAttempt = named(
  'DeliveryAttempt',
  'An attempt to deliver.',
  z.object({
    at: time('When it was made.'),
    status: about('Status of the answer; null if there was none.', z.nullable(z.int())),
    error: about('What went wrong, in words.', z.optional(z.string())),
    durationMs: about('How long it took, in milliseconds.', z.number()),
    signedBy: about(
      'Versions of the secrets that signed it: the current one, and during a rotation the one before.',
      z.array(z.int()),
    ),
  }),
);
const WebhookDelivery = named(
  'WebhookDelivery',
  'A delivery to a subscription.',
  beyond(
    z.object({
      deliveryId: about('Identifier of the delivery.', z.string()),
      webhookId: about('Identifier of the subscription.', z.string()),
      type: about('Kind of event.', z.string()),
      status: deliveryStatus,
      occurredAt: time('When the event happened.'),
      attempts: about('The latest attempts, oldest first.', z.array(DeliveryAttempt)),
      nextAttemptAt: about('When it is sent again; null if it is not.', z.nullable(z.string()), {
        format: 'date-time',
      }),
    }),
  ),
);
export const DeliveryRecord = named(
  'DeliveryRecord',
  'A delivery with its body.',
  beyond(
    z.extend(WebhookDelivery, {
      body: about('The body that is sent, the same bytes in each attempt, as text.', z.string()),
    }),
  ),
);
export const ListDeliveriesQuery = z.strictObject({
  status: about('Only deliveries in this state.', z.optional(z.enum(DELIVERY_STATES))),
  since: about('Only deliveries of what happened from this time on.', z.optional(instant())),
  until: about('Only deliveries of what happened before this time.', z.optional(instant())),
  after: after(),
});
export const ListDeliveriesAnswer = named(
  'ListDeliveriesAnswer',
  'A page of deliveries, newest first.',
  beyond(z.object({ deliveries: about('The deliveries.', z.array(WebhookDelivery)), next: next() })),
);
export const RedeliverAnswer = named(
  'RedeliverAnswer',
  'The delivery is queued.',
  beyond(
    z.object({
      deliveryId: about('Identifier of the delivery.', z.string()),
      status: deliveryStatus,
      requestId: requestId(),
    }),
  ),
);

/** The body of a webhook delivery (specification: Events). */
export const DeliveryBody = named(
  'DeliveryBody',
  'The body of a webhook delivery.',
  z.object({
    type: kind,
    decisionId: about('The decision; empty where there is none, as for a notification.', z.string()),
    contentId: about('The content, or the template of a notification.', z.string()),
    hashId: about('Hashed identifier of the user; empty for what is about the workspace.', z.string()),
    notificationId: beyond(about('The notification; missing for a message.', z.optional(z.string()))),
    goalId: beyond(about('The goal; of `decision.converted` only.', z.optional(z.string()))),
    value: beyond(
      about(
        'What the decision earned of the goal when it converted, from 0 to 1; of `decision.converted` only.',
        z.optional(z.number()),
      ),
    ),
    channel: beyond(about('Delivery channel; of `notification.…` and `provider.…`.', z.optional(z.string()))),
    category: beyond(about('Of which category the user opted out; missing for all.', z.optional(z.string()))),
    reason: beyond(
      about(
        'Why it is held, failed, disabled, or is known to be delivered, in words.',
        z.optional(z.string()),
      ),
    ),
    webhookId: beyond(about('The subscription that it is about.', z.optional(z.string()))),
    failedDeliveryId: beyond(
      about('The delivery that failed; of `delivery.exhausted` only.', z.optional(z.string())),
    ),
    provider: beyond(about('The provider; of `provider.…` only.', z.optional(z.string()))),
    pending: beyond(
      about('Deliveries that are due, counted up to 10,000; of `backlog.late` only.', z.optional(z.int())),
    ),
    oldestAt: beyond(
      about('Since when the oldest of them has been due.', z.optional(z.string()), { format: 'date-time' }),
    ),
    deliveryId: beyond(
      about('Identifier of the delivery: the same in each attempt, and in `webhook-id`.', z.string()),
    ),
    occurredAt: beyond(time('When the event happened.')),
  }),
);
export type DeliveryBody = z.infer<typeof DeliveryBody>;
