import type { EventKind } from './event-kind-names.ts';

/** A kind of event, `<what>.<what became of it>`. */
interface KindOfEvent {
  readonly meaning: string;
  /** The fields of an example but `type`, `deliveryId` and `occurredAt`. */
  readonly example: Readonly<Record<string, string | number>>;
}

const hashId = '5f4dcc3b5aa765d61d8327deb882cf995f4dcc3b5aa765d61d8327deb882cf99';
const message = { decisionId: 'dec_example', contentId: 'content_example', hashId };
const notification = {
  ...{ decisionId: '', contentId: 'order_shipped', hashId },
  ...{ notificationId: 'ntf_example', channel: 'sms' },
};

/** What is about a workspace has no decision, content and user. */
const nobody = { decisionId: '', contentId: '', hashId: '' };
const provider = { ...nobody, channel: 'sms', provider: 'twilio-sms' };

/** The kinds of events that a subscription can name. A notification has one for each state that it enters. */
export const KINDS_OF_EVENTS = {
  'campaign.clicked': { meaning: 'The user clicked a message or a notification.', example: message },
  'campaign.opened': { meaning: 'The user opened a message or a notification.', example: message },
  'decision.actioned': { meaning: "The user acted on a decision's action.", example: message },
  'decision.converted': {
    meaning: 'A decision earned something of a goal for the first time, or again after a correction.',
    example: { ...message, goalId: 'order', value: 1 },
  },
  'message.dismissed': { meaning: 'The user dismissed a message.', example: message },
  'message.expired': {
    meaning: 'The time of a message ended before the user clicked, acted on or dismissed it.',
    example: message,
  },
  'notification.held': {
    meaning: 'A notification waits, for the end of quiet hours for example.',
    example: { ...notification, reason: 'quiet_hours' },
  },
  'notification.dispatched': {
    meaning: 'A notification is about to be given to its provider.',
    example: notification,
  },
  'notification.delivered': {
    meaning:
      'A notification was delivered, by a receipt of its provider; accepted, if there are no receipts.',
    example: { ...notification, reason: 'confirmed by the provider' },
  },
  'notification.failed': {
    meaning: 'A notification was not delivered, or it is not known whether it was.',
    example: { ...notification, reason: 'no_address' },
  },
  'notification.cancelled': {
    meaning: 'A notification was cancelled: nothing is sent from then on.',
    example: notification,
  },
  'notification.bounced': {
    meaning: 'The provider calls an address of the user dead. It is not used again.',
    example: notification,
  },
  'notification.opted_out': {
    meaning:
      'The user opted out, by a reply, at the provider or by the link in an e-mail, which names no notification.',
    example: { ...notification, category: 'marketing' },
  },
  'subscription.disabled': {
    meaning: 'A subscription was disabled: by request, by 410 Gone or by five days of failures.',
    example: { ...nobody, webhookId: 'wh_example', reason: 'the receiver answered 410 Gone' },
  },
  'subscription.enabled': {
    meaning: 'A subscription was made active again.',
    example: { ...nobody, webhookId: 'wh_example' },
  },
  'delivery.exhausted': {
    meaning:
      'A delivery failed for good, after its last attempt or with 410 Gone. Those of this kind itself are not told.',
    example: { ...nobody, webhookId: 'wh_example', failedDeliveryId: 'dlv_example_2', reason: 'HTTP 500' },
  },
  'provider.failing': {
    meaning:
      'A provider has taken no notification of the workspace for a minute, in three attempts or more. Too many requests (429) do not count.',
    example: { ...provider, reason: 'HTTP 503' },
  },
  'provider.recovered': {
    meaning: 'A provider that was failing took a notification.',
    example: provider,
  },
  'backlog.late': {
    meaning:
      'Deliveries of a subscription have been due for more than a minute, at most once an hour. What is sent again or was missed does not count.',
    example: { ...nobody, webhookId: 'wh_example', pending: 1200, oldestAt: '2026-01-01T00:00:00.000Z' },
  },
} as const satisfies Readonly<Record<EventKind, KindOfEvent>>;

/** The kinds of taps, which a subscription to all gets. */
export const TAP_KINDS = ['campaign.clicked', 'campaign.opened', 'decision.actioned'] as const;

export const isTap = (kind: string): boolean => (TAP_KINDS as readonly string[]).includes(kind);

/** An example of the body of a delivery; that of a tap for a kind that is not known. `now` is Unix ms. */
export const exampleBody = (kind: string, deliveryId: string, now: number) => ({
  type: kind,
  ...(Object.hasOwn(KINDS_OF_EVENTS, kind) ? KINDS_OF_EVENTS[kind as EventKind].example : message),
  deliveryId,
  occurredAt: new Date(now).toISOString(),
});
