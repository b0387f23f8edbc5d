import type { Tx } from '../../platform/store/store.ts';
import type { Details } from '../../webhooks/rules/occurrence.ts';
import { fanOuts } from '../../webhooks/store/fan-outs.ts';

/** The notification that something is told of. */
export interface ToldNotification {
  readonly notificationId: string;
  readonly hashId: string;
  readonly templateId: string;
  readonly channel: string;
}

/** Tells the subscriptions that name a kind what became of a notification, in the caller's transaction. */
export async function tell(
  tx: Tx,
  workspaceId: string,
  kind: `notification.${string}`,
  { notificationId, hashId, templateId, channel }: ToldNotification,
  more: Pick<Details, 'category' | 'reason'> & { readonly trace?: string | undefined } = {},
): Promise<void> {
  const { trace, ...details } = more;
  await fanOuts.start(tx, workspaceId, {
    ...{ kind, decisionId: '', contentId: templateId, hashId, notificationId },
    ...{ details: { channel, ...details }, about: { channel }, occurredAt: tx.now, trace },
  });
}
