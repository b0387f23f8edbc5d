/** Where an outcome occurred, and what it was about. */
export interface About {
  readonly channel?: string;
  readonly surface?: string;
  readonly category?: string;
}

/** The fields of a body that only some kinds have. */
export interface Details {
  readonly channel?: string;
  readonly category?: string;
  readonly reason?: string;
  readonly webhookId?: string;
  readonly failedDeliveryId?: string;
  readonly provider?: string;
  readonly pending?: number;
  readonly oldestAt?: string;
}

/** An event to which subscriptions may subscribe. `occurredAt` is unix ms. */
export interface Occurrence {
  readonly kind: string;
  /** Empty for a notification, which no decision chose. */
  readonly decisionId: string;
  readonly contentId: string;
  readonly hashId: string;
  readonly notificationId?: string;
  /** The goal of a conversion, and what the decision earned of it, in 0 to 1. */
  readonly goalId?: string;
  readonly value?: number;
  /** The fields of the body that only some kinds have. */
  readonly details?: Details;
  /** What a filter looks at and the body does not have. */
  readonly about?: About | undefined;
  readonly occurredAt: number;
  /** The traceparent of the request that caused it. */
  readonly trace?: string | undefined;
}

/** An event in the log of outcomes. */
export interface LoggedOccurrence extends Occurrence {
  readonly id: string;
}

/** The event of each outcome type (docs/design-choices.md). */
const KINDS: Readonly<Record<string, string>> = {
  opened: 'campaign.opened',
  clicked: 'campaign.clicked',
  actioned: 'decision.actioned',
  dismissed: 'message.dismissed',
};

/** The event of an outcome of a message or notification, or null if it has none. */
export function occurrenceOf(
  outcome: {
    readonly kind: 'message' | 'notification';
    readonly id: string;
    readonly type: string;
    readonly hashId: string;
    readonly contentId: string;
    readonly about?: About;
    readonly trace?: string | undefined;
  },
  occurredAt: number,
): Occurrence | null {
  const kind = Object.hasOwn(KINDS, outcome.type) ? KINDS[outcome.type] : undefined;
  if (kind === undefined) return null;
  const { id, hashId, contentId, about, trace } = outcome;
  return outcome.kind === 'message'
    ? { kind, decisionId: id, contentId, hashId, about, occurredAt, trace }
    : { kind, decisionId: '', contentId, hashId, notificationId: id, about, occurredAt, trace };
}
