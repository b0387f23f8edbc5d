/** Associated data of a signing secret: it decrypts for its own subscription only. */
export function secretAssociatedData(webhookId: string): string {
  return `webhook.secret:${webhookId}`;
}

/** Associated data of the static headers of a subscription. */
export function headersAssociatedData(webhookId: string): string {
  return `webhook.headers:${webhookId}`;
}

/** Associated data of the variables of a notification. */
export function variablesAssociatedData(notificationId: string): string {
  return `notification.variables:${notificationId}`;
}

/** Associated data of what moved a decision. */
export function explanationAssociatedData(decisionId: string): string {
  return `decision.explanation:${decisionId}`;
}

/** Associated data of the token of a device. */
export function deviceAssociatedData(workspaceId: string, channel: string, addressHash: string): string {
  return `device.token:${workspaceId}/${channel}/${addressHash}`;
}

/** Associated data of the id of a user who is being erased. */
export function erasureAssociatedData(workspaceId: string, hashId: string): string {
  return `erasure.user:${workspaceId}/${hashId}`;
}

/** Associated data of what a deletion of events selects. */
export function deletionAssociatedData(workspaceId: string, deletionId: string): string {
  return `deletion.selection:${workspaceId}/${deletionId}`;
}
