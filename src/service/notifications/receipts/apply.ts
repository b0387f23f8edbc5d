import type { Tx } from '../../platform/store/store.ts';
import { workspaces } from '../../platform/store/workspaces.ts';
import { addressHash } from '../../users/address-hash.ts';
import { addresses } from '../../users/store/addresses.ts';
import type { Provider } from '../providers/file/load.ts';
import { receipts } from '../store/receipts.ts';
import type { ReceiptFact } from './events.ts';

/**
 * Applies what a receipt says to messages and addresses of a workspace. A repeated receipt changes nothing. Providers sign
 * for the whole service: what was sent by another workspace is none of this one's. Returns how many statements about
 * addresses were ignored, because the workspace has sent nothing to them.
 */
export async function applyFacts(
  tx: Tx,
  workspaceId: string,
  providers: readonly Provider[],
  facts: readonly ReceiptFact[],
): Promise<number> {
  let ignored = 0;
  const channels = providers.map(({ channel }) => channel);
  const provider = providers[0]!.file.name;
  for (const fact of facts) {
    const about = isAboutMessage(fact)
      ? await receipts.apply(tx, workspaceId, {
          provider,
          channels,
          notificationId: fact.notificationId,
          messageId: fact.messageId,
          failure: fact.kind === 'delivered' ? null : fact.failure,
        })
      : undefined;
    const to = { provider, channel: channelOf(fact, about, channels), isOwn: about !== undefined };
    if (!(await applyToAddress(tx, workspaceId, to, fact))) ignored++;
  }
  return ignored;
}

const isAboutMessage = ({ kind, notificationId, messageId }: ReceiptFact) =>
  kind !== 'stop' && kind !== 'start' && (notificationId !== undefined || messageId !== undefined);

/** The channel of an address: as the receipt says, or of its notification, or the only one of the provider. */
function channelOf(
  { channel }: ReceiptFact,
  about: string | undefined,
  channels: readonly string[],
): string | undefined {
  if (channel !== undefined) return channels.includes(channel) ? channel : undefined;
  return about ?? (channels.length === 1 ? channels[0] : undefined);
}

interface AddressScope {
  readonly provider: string;
  readonly channel: string | undefined;
  /** The receipt is about a message of this workspace. */
  readonly isOwn: boolean;
}

/** Returns false if the workspace has sent nothing to the address. */
async function applyToAddress(
  tx: Tx,
  workspaceId: string,
  { provider, channel, isOwn }: AddressScope,
  fact: ReceiptFact,
): Promise<boolean> {
  const { kind, address, category } = fact;
  if (address === undefined || channel === undefined || kind === 'delivered' || kind === 'failed')
    return true;
  const hash = addressHash(await workspaces.hashKey(tx, workspaceId), channel, address);
  if (!isOwn && !(await receipts.hasSentTo(tx, workspaceId, channel, hash))) return false;
  if (fact.id !== undefined && !(await receipts.first(tx, workspaceId, provider, fact.id))) return true;
  if (kind === 'start') await addresses.resume(tx, workspaceId, channel, hash, category);
  else if (kind === 'bounce') await addresses.removeAddress(tx, workspaceId, channel, hash);
  else await addresses.suppress(tx, workspaceId, channel, hash, 'stop', category);
  return true;
}
