import type { Cipher } from '../../platform/crypto/cipher.ts';
import type { Tx } from '../../platform/store/store.ts';
import { workspaces } from '../../platform/store/workspaces.ts';
import { addressHash } from '../../users/address-hash.ts';
import { addresses } from '../../users/store/addresses.ts';
import type { Provider } from '../providers/file/load.ts';
import type { AddressReceipt } from '../store/address-changes.ts';
import { type AboutNotification, receipts } from '../store/receipts.ts';
import type { ReceiptFact } from './events.ts';

/**
 * Applies what a receipt says to messages and addresses of a workspace. A repeated receipt changes nothing. Providers sign
 * for the whole service: what was sent by another workspace is none of this one's. Returns how many statements about
 * addresses were ignored, because the workspace has sent nothing to them.
 */
export async function applyFacts(
  tx: Tx,
  cipher: Cipher,
  workspaceId: string,
  providers: readonly Provider[],
  facts: readonly ReceiptFact[],
): Promise<number> {
  let ignored = 0;
  const channels = providers.map(({ channel }) => channel);
  const provider = providers[0]!.file.name;
  for (const fact of facts) {
    const said = saidOfAddress(fact);
    const about = isAboutMessage(fact)
      ? await receipts.apply(tx, workspaceId, {
          provider,
          channels,
          notificationId: fact.notificationId,
          messageId: fact.messageId,
          failure: fact.kind === 'delivered' ? null : fact.failure,
          address: said,
        })
      : undefined;
    if (!said) continue;
    const notification = about === 'kept' ? undefined : about;
    const channel = channelOf(fact, notification, channels);
    if (channel === undefined) continue;
    const hash = await hashOf(tx, workspaceId, channel, fact, notification);
    if (hash === undefined) continue;
    if (await isSentTo(tx, cipher, workspaceId, channel, hash, notification))
      await receipts.applyToAddress(tx, workspaceId, provider, channel, hash, said, notification?.found);
    // It acts once its message is known.
    else if (about !== 'kept') ignored++;
  }
  return ignored;
}

const isAboutMessage = ({ kind, notificationId, messageId }: ReceiptFact) =>
  kind !== 'stop' && kind !== 'start' && (notificationId !== undefined || messageId !== undefined);

const saidOfAddress = ({ id, kind, category }: ReceiptFact): AddressReceipt | undefined =>
  kind === 'delivered' || kind === 'failed' ? undefined : { id, kind, category };

/** The channel of an address: as the receipt says, or of its notification, or the only one of the provider. */
function channelOf(
  { channel }: ReceiptFact,
  about: AboutNotification | undefined,
  channels: readonly string[],
): string | undefined {
  if (channel !== undefined) return channels.includes(channel) ? channel : undefined;
  return about?.found.channel ?? (channels.length === 1 ? channels[0] : undefined);
}

/** The hash of the address: of that which the receipt names, or else of that of its message. */
async function hashOf(
  tx: Tx,
  workspaceId: string,
  channel: string,
  { address }: ReceiptFact,
  about: AboutNotification | undefined,
): Promise<string | undefined> {
  if (address === undefined) return about?.hash;
  return addressHash(await workspaces.hashKey(tx, workspaceId), channel, address);
}

/** Whether the workspace has sent to an address, or is sending the notification of the receipt to it. */
async function isSentTo(
  tx: Tx,
  cipher: Cipher,
  workspaceId: string,
  channel: string,
  hash: string,
  about: AboutNotification | undefined,
): Promise<boolean> {
  if (await receipts.hasSentTo(tx, workspaceId, channel, hash)) return true;
  // While it is sent, which of its user's addresses was used is not stored yet.
  if (about?.found.channel !== channel || about.sent.length > 0) return false;
  if (!about.found.history.some(({ status }) => status === 'dispatched')) return false;
  const known = await addresses.addressesOf(tx, cipher, workspaceId, about.found.hashId, channel);
  return known.some((address) => address.hash === hash);
}
