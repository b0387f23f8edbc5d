/** Schemas of the requests and responses, from `specification.md` and `docs/decisions.md`. */
import * as z from 'zod/mini';
import { MAX_BATCH, MAX_DAILY_CONTACTS, MAX_NAME, MAX_TAG, MAX_TRAITS, MAX_VARIABLES } from './limits.ts';
import {
  after,
  beyond,
  fields,
  isTimeZone,
  locale,
  name,
  next,
  openFields,
  requestId,
  scalar,
  text,
  utc,
} from './parts.ts';

// ---- events and users -------------------------------------------------------------------------------------------

export const Event = z.strictObject({
  userId: name(),
  event: name(),
  timestamp: utc(),
  properties: z.optional(fields(scalar())),
});
export type Event = z.infer<typeof Event>;

export const IngestEventsRequest = z.strictObject({
  events: z.array(Event).check(z.minLength(1), z.maxLength(MAX_BATCH)),
});
export const IngestEventsAnswer = beyond(z.object({ accepted: z.int(), requestId: requestId() }));

export const User = z.strictObject({
  userId: name(),
  name: z.optional(z.string().check(z.maxLength(MAX_NAME))),
  phone: z.optional(z.string().check(z.maxLength(MAX_NAME))),
  accountNumber: z.optional(z.string().check(z.maxLength(MAX_NAME))),
  timeZone: z.optional(
    z
      .string()
      .check(
        z.maxLength(MAX_TAG, { abort: true }),
        z.refine(isTimeZone, { error: 'must be an IANA time zone, such as Europe/Berlin' }),
      ),
  ),
  locale: z.optional(locale()),
  traits: z.optional(fields(scalar(), MAX_TRAITS)),
});
export type User = z.infer<typeof User>;

export const IngestUsersRequest = beyond(
  z.strictObject({ users: z.array(User).check(z.minLength(1), z.maxLength(MAX_BATCH)) }),
);
export const IngestUsersAnswer = beyond(
  z.object({ users: z.array(z.object({ userId: z.string(), hashId: z.string() })), requestId: requestId() }),
);

// ---- decisions and messages -------------------------------------------------------------------------------------

export const DecideRequest = z.strictObject({
  hashId: name(),
  context: z.optional(
    openFields(
      { channel: z.optional(name()), surface: z.optional(name()), locale: z.optional(locale()) },
      scalar(),
      MAX_TRAITS,
    ),
  ),
  guardrails: z.optional(
    z.strictObject({
      excludeCategories: z.optional(z.array(name()).check(z.maxLength(MAX_NAME))),
      maxDailyContacts: z.optional(z.int().check(z.minimum(0), z.maximum(MAX_DAILY_CONTACTS))),
    }),
  ),
});
export type DecideRequest = z.infer<typeof DecideRequest>;

export const DecideAnswer = z.object({
  decisionId: z.string(),
  action: z.object({
    type: z.string(),
    contentId: z.nullable(z.string()),
    ranking: z.number(),
    reason: z.string(),
  }),
  alternatives: z.array(z.object({ type: z.string(), contentId: z.string(), ranking: z.number() })),
});
export type DecideAnswer = z.infer<typeof DecideAnswer>;

/** An entry of the decision log: the candidates with their propensities, the model version, the seed and the reward. */
const LoggedDecision = z.object({
  decisionId: z.string(),
  hashId: z.string(),
  at: z.string(),
  context: z.record(z.string(), z.string()),
  contentId: z.nullable(z.string()),
  candidates: z.array(z.object({ contentId: z.string(), propensity: z.number(), ranking: z.number() })),
  others: z.optional(
    beyond(
      z.object({
        count: z.int(),
        propensity: z.number(),
        ranking: z.number(),
        expected: z.number(),
      }),
      'The candidates that are not named: how many, the sum of their propensities, their mean ranking, and the sum of propensity × ranking.',
    ),
  ),
  modelVersion: z.int(),
  seed: z.string(),
  policy: z.optional(
    beyond(
      z.enum(['learned', 'weights', 'holdout']),
      'What made the choice: the learned beliefs, the fixed weights of a placement, or an even choice for a user in the holdout group.',
    ),
  ),
  reward: z.nullable(z.number()),
});
export const MAX_LOG_PAGE = 1000;
const logPageSize = (text: string) => Number(text) >= 1 && Number(text) <= MAX_LOG_PAGE;
const instant = () =>
  z.string().check(
    z.maxLength(MAX_NAME),
    z.refine((text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)), {
      error: 'must be an ISO 8601 date-time, such as 2026-01-31T12:00:00Z',
    }),
  );
export const ListDecisionsQuery = z.strictObject({
  hashId: z.optional(name()),
  contentId: z.optional(name()),
  since: z.optional(instant()),
  until: z.optional(instant()),
  order: z.optional(z.enum(['oldest', 'newest'])),
  after: z.optional(
    z
      .string()
      .check(
        z.maxLength(15, { abort: true }),
        z.regex(/^\d{1,15}$/, { error: 'must be the `next` of the previous page' }),
      ),
  ),
  limit: z.optional(
    z
      .string()
      .check(
        z.maxLength(4, { abort: true }),
        z.regex(/^\d{1,4}$/, { error: 'must be a whole number', abort: true }),
        z.refine(logPageSize, { error: `must be from 1 to ${MAX_LOG_PAGE}` }),
      ),
  ),
});
export const ListDecisionsAnswer = beyond(
  z.object({ decisions: z.array(LoggedDecision), next: z.nullable(z.string()) }),
);

export const MESSAGE_FORMATS = ['card', 'modal', 'embedded', 'full-screen'] as const;
const Message = z.object({
  decisionId: z.string(),
  contentId: z.string(),
  channel: z.nullable(z.string()),
  surface: z.nullable(z.string()),
  format: z.enum(MESSAGE_FORMATS),
  title: z.string(),
  body: z.string(),
});
export const ListMessagesQuery = z.strictObject({
  hashId: name(),
  surface: z.optional(name()),
  channel: z.optional(name()),
  after: after(),
});
export const ListMessagesAnswer = beyond(z.object({ messages: z.array(Message), next: next() }));

export const MESSAGE_OUTCOMES = ['opened', 'clicked', 'actioned', 'dismissed'] as const;
export const MessageOutcomeRequest = beyond(z.strictObject({ type: z.enum(MESSAGE_OUTCOMES) }));
export const OutcomeAnswer = beyond(z.object({ requestId: requestId() }));

// ---- notifications ----------------------------------------------------------------------------------------------

export const CHANNELS = ['whatsapp', 'sms', 'email', 'push'] as const;
export const PRIORITIES = ['transactional', 'marketing'] as const;

export const TriggerRequest = z.strictObject({
  hashId: name(),
  templateId: name(),
  channel: z.enum(CHANNELS),
  variables: z.optional(fields(text(), MAX_VARIABLES)),
  priority: z.optional(z.enum(PRIORITIES)),
});
export type TriggerRequest = z.infer<typeof TriggerRequest>;

export const NOTIFICATION_STATES = ['queued', 'dispatched', 'delivered', 'failed'] as const;

export const TriggerAnswer = beyond(
  z.object({ notificationId: z.string(), status: z.enum(NOTIFICATION_STATES), requestId: requestId() }),
);
export const Notification = beyond(
  z.object({
    notificationId: z.string(),
    hashId: z.string(),
    templateId: z.string(),
    channel: z.string(),
    priority: z.string(),
    status: z.enum(NOTIFICATION_STATES),
    history: z.array(z.object({ status: z.enum(NOTIFICATION_STATES), at: z.string() })),
    failure: z.optional(beyond(z.string(), 'Why the notification failed.')),
  }),
);
export const NOTIFICATION_OUTCOMES = ['opened', 'clicked'] as const;
export const NotificationOutcomeRequest = beyond(z.strictObject({ type: z.enum(NOTIFICATION_OUTCOMES) }));

// ---- webhooks ---------------------------------------------------------------------------------------------------

export const EVENT_KINDS = ['campaign.clicked', 'campaign.opened', 'decision.actioned'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

const kinds = () => z.array(z.enum(EVENT_KINDS)).check(z.minLength(1), z.maxLength(16));
const secret = () => z.string().check(z.minLength(16), z.maxLength(MAX_NAME));
const webhookUrl = () => z.string().check(z.minLength(1), z.maxLength(2048));
const lease = () =>
  beyond(
    z.int().check(z.minimum(5), z.maximum(86_400)),
    'The subscription ends after this many seconds unless renewed.',
  );

export const CreateWebhookRequest = z.strictObject({
  url: webhookUrl(),
  events: kinds(),
  signingSecret: secret(),
  leaseSeconds: z.optional(lease()),
});
export const UpdateWebhookRequest = beyond(
  z.strictObject({
    url: z.optional(webhookUrl()),
    events: z.optional(kinds()),
    status: z.optional(z.enum(['active', 'disabled'])),
    leaseSeconds: z.optional(lease()),
  }),
);
export const RotateWebhookRequest = beyond(z.strictObject({ signingSecret: secret() }));

export const Webhook = beyond(
  z.object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    status: z.enum(['active', 'disabled']),
    createdAt: z.string(),
    disabledReason: z.optional(z.string()),
    leaseUntil: z.optional(z.string()),
  }),
);
export type Webhook = z.infer<typeof Webhook>;
export const ListWebhooksQuery = z.strictObject({ after: after() });
export const ListWebhooksAnswer = beyond(z.object({ webhooks: z.array(Webhook), next: next() }));

const DELIVERY_STATES = ['pending', 'delivered', 'failed'] as const;
const WebhookDelivery = beyond(
  z.object({
    deliveryId: z.string(),
    type: z.string(),
    status: z.enum(DELIVERY_STATES),
    occurredAt: z.string(),
    attempts: z.array(
      z.object({
        at: z.string(),
        status: z.nullable(z.int()),
        error: z.optional(z.string()),
        durationMs: z.number(),
      }),
    ),
    nextAttemptAt: z.nullable(z.string()),
  }),
);
export const ListDeliveriesQuery = z.strictObject({ after: after() });
export const ListDeliveriesAnswer = beyond(z.object({ deliveries: z.array(WebhookDelivery), next: next() }));
export const RedeliverAnswer = beyond(
  z.object({ deliveryId: z.string(), status: z.enum(DELIVERY_STATES), requestId: requestId() }),
);

/** The body of a webhook delivery (specification: Events). */
export const DeliveryBody = z.object({
  type: z.enum(EVENT_KINDS),
  decisionId: z.nullable(z.string()),
  contentId: z.string(),
  hashId: z.string(),
  notificationId: z.optional(beyond(z.string())),
  deliveryId: beyond(z.string()),
  occurredAt: beyond(z.string()),
});
export type DeliveryBody = z.infer<typeof DeliveryBody>;

export const ErrorAnswer = z.object({
  error: z.string(),
  code: z.string(),
  requestId: z.string(),
  message: beyond(z.string()),
  details: z.optional(
    beyond(z.array(z.object({ index: z.optional(z.int()), field: z.string(), message: z.string() }))),
  ),
});
