/** The place a subscription's signing secret is sealed for: it opens under no other subscription. */
export function secretAssociatedData(webhookId: string): string {
  return `webhook.secret:${webhookId}`;
}

/** The place the variables of a notification are sealed for. */
export function variablesAssociatedData(notificationId: string): string {
  return `notification.variables:${notificationId}`;
}
