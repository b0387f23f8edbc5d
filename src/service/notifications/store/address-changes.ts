import { definedFields } from '../../../kit/defined-fields.ts';
import type { Tx } from '../../platform/store/store.ts';
import { addresses } from '../../users/store/addresses.ts';
import { namedKinds } from '../../webhooks/store/named-kinds.ts';
import type { ReceiptKind } from '../providers/file/schema.ts';
import { type ToldNotification, tell } from './tell.ts';

/** What a provider says about an address. */
export interface AddressReceipt {
  /** Identifies the receipt, so that a repeat changes nothing; undefined for one that acts each time. */
  readonly id: string | undefined;
  readonly kind: Exclude<ReceiptKind, 'delivered' | 'failed'>;
  /** Category of opted-out, stop and start; undefined for all. */
  readonly category: string | undefined;
}

/**
 * Applies what a provider says of an address, and tells it to webhooks unless it was known: with the notification `about`
 * which it was said, or the latest one to the address.
 */
export async function changeAddress(
  tx: Tx,
  workspaceId: string,
  channel: string,
  hash: string,
  { kind, category }: Omit<AddressReceipt, 'id'>,
  about: ToldNotification | undefined,
): Promise<void> {
  if (kind === 'start') return addresses.resume(tx, workspaceId, channel, hash, category);
  const told = kind === 'bounce' ? 'notification.bounced' : 'notification.opted_out';
  const wanted = (await namedKinds(tx, workspaceId)).has(told);
  const before = wanted ? await addresses.suppressionsOf(tx, workspaceId, channel, hash) : [];
  if (kind === 'bounce') await addresses.removeAddress(tx, workspaceId, channel, hash);
  else await addresses.suppress(tx, workspaceId, channel, hash, 'stop', category);
  const isKnown = before.some((each) =>
    kind === 'bounce'
      ? each.reason === 'bounce'
      : each.reason !== 'bounce' && each.category === (category ?? null),
  );
  if (!wanted || isKnown) return;
  const of = about?.channel === channel ? about : await latestTo(tx, workspaceId, channel, hash);
  if (of) await tell(tx, workspaceId, told, of, definedFields({ category }));
}

/** The latest notification to an address; undefined if none is known. */
function latestTo(
  tx: Tx,
  workspaceId: string,
  channel: string,
  hash: string,
): Promise<ToldNotification | undefined> {
  return tx.sql.get<ToldNotification>(
    `SELECT n.notification_id AS "notificationId", n.hash_id AS "hashId", n.template_id AS "templateId", n.channel
     FROM notification_send s
     JOIN notification n ON n.workspace_id = s.workspace_id AND n.notification_id = s.notification_id
     WHERE s.workspace_id = ? AND s.address_hash = ? AND n.channel = ?
     ORDER BY s.at_ms DESC, n.notification_id LIMIT 1`,
    [workspaceId, hash, channel],
  );
}
