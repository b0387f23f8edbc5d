/** Every kind of event. All but those of taps are delivered to subscriptions that name them. */
export const EVENT_KINDS = [
  'campaign.clicked',
  'campaign.opened',
  'decision.actioned',
  'decision.converted',
  'message.dismissed',
  'message.expired',
  'notification.held',
  'notification.dispatched',
  'notification.delivered',
  'notification.failed',
  'notification.cancelled',
  'notification.bounced',
  'notification.opted_out',
  'subscription.disabled',
  'subscription.enabled',
  'delivery.exhausted',
  'provider.failing',
  'provider.recovered',
  'backlog.late',
] as const;

export type EventKind = (typeof EVENT_KINDS)[number];
