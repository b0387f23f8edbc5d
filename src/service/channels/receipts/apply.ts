import { addressHash } from '../../crypto/address-hash.ts';
import { addresses } from '../../store/repositories/addresses.ts';
import { receipts } from '../../store/repositories/receipts.ts';
import { workspaces } from '../../store/repositories/workspaces.ts';
import type { Tx } from '../../store/store.ts';
import type { Provider } from '../provider-file/load.ts';
import type { ReceiptFact } from './events.ts';

/** Applies what a receipt says to notifications and addresses of a workspace. A repeated receipt changes nothing. */
export async function applyFacts(
  tx: Tx,
  workspaceId: string,
  providers: readonly Provider[],
  facts: readonly ReceiptFact[],
): Promise<void> {
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
    await applyToAddress(tx, workspaceId, provider, channelOf(fact, about, channels), fact);
  }
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

async function applyToAddress(
  tx: Tx,
  workspaceId: string,
  provider: string,
  channel: string | undefined,
  fact: ReceiptFact,
): Promise<void> {
  const { kind, address, category } = fact;
  if (address === undefined || channel === undefined || kind === 'delivered' || kind === 'failed') return;
  if (!(await receipts.first(tx, workspaceId, provider, fact.id))) return;
  const hash = addressHash(await workspaces.hashKey(tx, workspaceId), channel, address);
  if (kind === 'start') await addresses.resume(tx, workspaceId, channel, hash, category);
  else if (kind === 'bounce') await addresses.removeAddress(tx, workspaceId, channel, hash);
  else await addresses.suppress(tx, workspaceId, channel, hash, 'stop', category);
}
