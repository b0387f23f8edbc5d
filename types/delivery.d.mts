// Made by `npm run generate` from src/contract.

/** The body of a webhook delivery. */
export interface DeliveryBody {
  readonly type: EventKind;
  /** The decision; empty where there is none, as for a notification. */
  readonly decisionId: string;
  /** The content, or the template of a notification. */
  readonly contentId: string;
  /** Hashed identifier of the user; empty for what is about the workspace. */
  readonly hashId: string;
  /** The notification; missing for a message. */
  readonly notificationId?: string | undefined;
  /** The goal; of `decision.converted` only. */
  readonly goalId?: string | undefined;
  /** What the decision earned of the goal when it converted, from 0 to 1; of `decision.converted` only. */
  readonly value?: number | undefined;
  /** Delivery channel; of `notification.…` and `provider.…`. */
  readonly channel?: string | undefined;
  /** Of which category the user opted out; missing for all. */
  readonly category?: string | undefined;
  /** Why it is held, failed, disabled, or is known to be delivered, in words. */
  readonly reason?: string | undefined;
  /** The subscription that it is about. */
  readonly webhookId?: string | undefined;
  /** The delivery that failed; of `delivery.exhausted` only. */
  readonly failedDeliveryId?: string | undefined;
  /** The provider; of `provider.…` only. */
  readonly provider?: string | undefined;
  /** Deliveries that are due, counted up to 10,000; of `backlog.late` only. */
  readonly pending?: number | undefined;
  /** Since when the oldest of them has been due. */
  readonly oldestAt?: string | undefined;
  /** Identifier of the delivery: the same in each attempt, and in `webhook-id`. */
  readonly deliveryId: string;
  /** When the event happened. */
  readonly occurredAt: string;
}

/** Kind of event that a subscription can name. */
export type EventKind = 'campaign.clicked' | 'campaign.opened' | 'decision.actioned' | 'decision.converted' | 'message.dismissed' | 'message.expired' | 'notification.held' | 'notification.dispatched' | 'notification.delivered' | 'notification.failed' | 'notification.cancelled' | 'notification.bounced' | 'notification.opted_out' | 'subscription.disabled' | 'subscription.enabled' | 'delivery.exhausted' | 'provider.failing' | 'provider.recovered' | 'backlog.late';
