/** Something a subscriber may want to hear of. `occurredAt` is unix ms. */
export interface Occurrence {
  readonly kind: string;
  readonly decisionId: string | null;
  readonly contentId: string;
  readonly hashId: string;
  readonly notificationId?: string;
  readonly occurredAt: number;
}

/** Which tap gives which kind of event (docs/decisions.md); what is not here, such as a dismissal, gives none. */
const KINDS: Readonly<Record<string, string>> = {
  opened: 'campaign.opened',
  clicked: 'campaign.clicked',
  actioned: 'decision.actioned',
};

/** What an outcome of a message or a notification tells subscribers, or null where it tells nothing. */
export function occurrenceOf(
  outcome: {
    readonly kind: 'message' | 'notification';
    readonly id: string;
    readonly type: string;
    readonly hashId: string;
    readonly contentId: string;
  },
  occurredAt: number,
): Occurrence | null {
  const kind = Object.hasOwn(KINDS, outcome.type) ? KINDS[outcome.type] : undefined;
  if (kind === undefined) return null;
  const { id, hashId, contentId } = outcome;
  return outcome.kind === 'message'
    ? { kind, decisionId: id, contentId, hashId, occurredAt }
    : { kind, decisionId: null, contentId, hashId, notificationId: id, occurredAt };
}
