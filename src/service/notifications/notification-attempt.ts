import type { Catalogs } from '../catalog/follow.ts';
import { textsFor } from '../catalog/templates/template-texts.ts';
import { variablesAssociatedData } from '../platform/crypto/associated-data.ts';
import type { Platform } from '../platform/platform.ts';
import type { Tx } from '../platform/store/store.ts';
import type { Mode } from '../platform/store/workspaces.ts';
import { addresses, type UserAddress } from '../users/store/addresses.ts';
import { users } from '../users/store/users.ts';
import type { ChannelAdapter, ChannelMessage, SendResult } from './providers/channel.ts';
import { compose } from './providers/compose.ts';
import { unsubscribeUrl } from './providers/unsubscribe.ts';
import { ACCEPTED, NO_ADDRESS, OUTBOX_NO_PROVIDER, OUTBOX_TEST, UNCERTAIN } from './rules/dispatch.ts';
import { changeAddress } from './store/address-changes.ts';
import type { Accepted, ClaimedNotification, DispatchResult } from './store/notification-rows.ts';
import { notifications } from './store/notifications.ts';
import { receipts, type SendStatus } from './store/receipts.ts';

/** What messages are composed of. */
export interface SentContent {
  readonly catalogs: Catalogs;
  /** Address of this service as others reach it (SVC_PUBLIC_URL), without a slash at its end. */
  readonly publicUrl: string | undefined;
}

/** What an attempt to send a notification came to. */
export interface Attempt {
  readonly result: DispatchResult;
  /** Stores what is known of each address. */
  store(tx: Tx): Promise<void>;
  /** How long the provider asks to wait, in ms; undefined if it does not ask. */
  readonly throttledMs: number | undefined;
}

/** Sends a message; without an answer the outcome is ambiguous. */
type Send = (message: ChannelMessage) => Promise<SendResult>;

interface Sent {
  readonly address: UserAddress;
  readonly result: SendResult;
}

/** Sends a claimed notification to the addresses of its user. This is the only place where personal fields are joined. */
export async function attemptNotification(
  platform: Pick<Platform, 'store' | 'cipher'>,
  content: SentContent,
  claimed: ClaimedNotification,
  adapter: ChannelAdapter,
  send: Send,
): Promise<Attempt> {
  const found = await load(platform, content, claimed);
  if (found.failure !== undefined) return failed(found.failure);
  const { template, personal, email, variables, known, earlier } = found;
  const open = known.filter(({ hash }) => !earlier.has(hash));
  const usable = open.filter((address) => suppressionOf(address, claimed.priority) === undefined);
  if (usable.length === 0 && earlier.size === 0)
    // Without a call.
    return failed(open[0] ? `suppressed: ${suppressionOf(open[0], claimed.priority)}` : NO_ADDRESS);
  const sent: Sent[] = [];
  for (const address of usable) {
    if (sent.length > 0 && (await platform.store.read((tx) => notifications.isCancelled(tx, claimed)))) break;
    const composed = compose({
      ...claimed,
      earlierTries: claimed.tries,
      address: address.address,
      addressHash: address.hash,
      template,
      variables,
      personal,
      email,
      unsubscribeUrl: found.unsubscribeUrl,
    });
    if (!composed.ok) return failed(composed.failure);
    const result = await send(composed.message);
    sent.push({ address, result });
    // Every device gets it; of other addresses one suffices, and the next only replaces one that is dead.
    if ((claimed.channel !== 'push' || adapter.oncePerUser) && !isDead(result)) break;
  }
  return {
    result: combine(sent, adapter, [...earlier.values()], claimed.mode),
    store: (tx) => storeSent(tx, claimed, adapter, sent),
    throttledMs: throttleOf(sent),
  };
}

function failed(failure: string): Attempt {
  return { result: { event: 'fail', failure }, store: async () => {}, throttledMs: undefined };
}

/** Reads what a message is made of. */
async function load(
  { store, cipher }: Pick<Platform, 'store' | 'cipher'>,
  { catalogs, publicUrl }: SentContent,
  claimed: ClaimedNotification,
) {
  const linkOf = (
    { workspaceId, hashId, channel, priority }: ClaimedNotification,
    category = null as string | null,
  ) =>
    publicUrl === undefined || channel !== 'email' || priority === 'transactional'
      ? undefined
      : unsubscribeUrl(cipher, publicUrl, { workspaceId, hashId, category });
  const { workspaceId, hashId, templateId, notificationId, channel, claim } = claimed;
  return store.read(async (tx) => {
    const template = (await catalogs.of(tx, workspaceId)).templates.get(templateId);
    if (!template) return { failure: 'the template is no longer in the catalog' };
    const personal = await users.personal(tx, cipher, workspaceId, hashId);
    const user = await users.find(tx, cipher, workspaceId, hashId);
    if (!personal || !user) return { failure: 'the user no longer exists' };
    const sends = claim > 1 ? await receipts.sends(tx, workspaceId, notificationId) : [];
    const texts = textsFor(template, channel, user.locale);
    if (!texts) return { failure: 'the template has no text for this channel' };
    const { email } = user.traits;
    return {
      failure: undefined,
      template: texts,
      personal,
      email: typeof email === 'string' ? email : undefined,
      variables: JSON.parse(cipher.open(claimed.variables, variablesAssociatedData(notificationId))),
      unsubscribeUrl: linkOf(claimed, template.rules.category),
      known: await addresses.addressesOf(tx, cipher, workspaceId, hashId, channel),
      /** The addresses that earlier attempts reached. */
      earlier: new Map(sends.map(({ hash, status }) => [hash, status])),
    };
  });
}

/** Why nothing may be sent to an address; undefined if it may. Of a category, only marketing is refused. */
function suppressionOf({ suppressions }: UserAddress, priority: string): string | undefined {
  return suppressions.find(({ category }) => category === null || category === priority)?.reason;
}

const isDead = (result: SendResult) => result.outcome === 'rejected' && result.address?.is === 'dead';

/** The result of an attempt, from those of its messages. An ambiguous one is retried only if the channel deduplicates. */
function combine(
  sent: readonly Sent[],
  adapter: ChannelAdapter,
  earlier: readonly SendStatus[],
  mode: Mode,
): DispatchResult {
  const results = sent.map(({ result }) => result);
  const isAccepted =
    results.some(({ outcome }) => outcome === 'accepted') ||
    earlier.some((status) => status === 'accepted' || status === 'delivered');
  const accepted: Accepted | undefined = isAccepted
    ? adapter.receiptsFrom === undefined
      ? { event: 'deliver', reason: acceptedBy(adapter, earlier, mode) }
      : { event: 'accept' }
    : undefined;
  const retryable = results.find((result) => result.outcome === 'retryable');
  const ambiguous =
    results.find((result) => result.outcome === 'ambiguous') ??
    (earlier.includes('ambiguous') ? { error: 'an earlier answer was lost' } : undefined);
  if (retryable)
    return {
      event: 'retry',
      failure: retryable.error,
      retryAfterMs: longestWait(results),
      throttled: retryable.throttled ?? false,
      accepted,
    };
  if (ambiguous && adapter.deduplicates)
    return { event: 'retry', failure: `${UNCERTAIN}${ambiguous.error}`, throttled: false, accepted };
  if (accepted) return accepted;
  if (ambiguous)
    return { event: 'fail', failure: `${UNCERTAIN}${ambiguous.error}; whether it was sent is not known` };
  const rejected = results.find((result) => result.outcome === 'rejected');
  return { event: 'fail', failure: rejected && 'error' in rejected ? rejected.error : NO_ADDRESS };
}

/** How it is known to be delivered where no receipt comes. A provider that was called by an earlier attempt counts. */
function acceptedBy({ isOutbox }: ChannelAdapter, earlier: readonly SendStatus[], mode: Mode): string {
  if (!isOutbox || earlier.length > 0) return ACCEPTED;
  return mode === 'test' ? OUTBOX_TEST : OUTBOX_NO_PROVIDER;
}

function longestWait(results: readonly SendResult[]): number | undefined {
  const waits = results.flatMap((result) =>
    result.outcome === 'retryable' && result.retryAfterMs !== undefined ? [result.retryAfterMs] : [],
  );
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** Without a Retry-After, no requests are sent to a throttling provider for this long, in ms. */
const THROTTLE_MS = 1000;

function throttleOf(sent: readonly Sent[]): number | undefined {
  const throttled = sent.some(({ result }) => result.outcome === 'retryable' && result.throttled);
  return throttled ? (longestWait(sent.map(({ result }) => result)) ?? THROTTLE_MS) : undefined;
}

async function storeSent(
  tx: Tx,
  claimed: ClaimedNotification,
  adapter: ChannelAdapter,
  sent: readonly Sent[],
): Promise<void> {
  const { workspaceId, notificationId, channel } = claimed;
  const provider = adapter.receiptsFrom ?? adapter.name;
  // Without receipts, only several devices have to be told apart.
  const kept = adapter.receiptsFrom !== undefined || sent.length > 1;
  for (const { address, result } of sent) {
    const messageId = result.outcome === 'accepted' ? result.messageId : undefined;
    if (kept && (result.outcome === 'accepted' || (result.outcome === 'ambiguous' && !adapter.deduplicates)))
      await receipts.recordSend(tx, workspaceId, {
        notificationId,
        hash: address.hash,
        provider,
        status: result.outcome,
        messageId,
      });
    if (kept && messageId !== undefined)
      await receipts.applyEarly(tx, workspaceId, { provider, channels: [channel], messageId });
    if (result.outcome !== 'rejected' || !result.address) continue;
    const { is, category } = result.address;
    const said = { kind: is === 'dead' ? ('bounce' as const) : ('stop' as const), category };
    await changeAddress(tx, workspaceId, channel, address.hash, said, claimed);
  }
}
