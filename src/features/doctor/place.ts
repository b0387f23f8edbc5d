/** The workspace that is examined, and the ways from there. */
export interface Place {
  readonly workspace: string;
  readonly toLive: string;
  /** The command that shows a subscription. */
  readonly toWebhook: (id: string) => string;
}
