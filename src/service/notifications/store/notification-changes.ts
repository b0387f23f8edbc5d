import { definedFields } from '../../../kit/defined-fields.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { SqlValue, Tx } from '../../platform/store/store.ts';
import { contacts } from '../../users/store/contacts.ts';
import { namedKinds } from '../../webhooks/store/named-kinds.ts';
import { isEnd, type NotificationEvent, step } from '../rules/state.ts';
import { type ClaimedNotification, type HistoryEntry, notificationClaim } from './notification-rows.ts';
import { marketingSent } from './sent.ts';
import { type ToldNotification, tell } from './tell.ts';

interface NextState {
  /** When it is due again, Unix ms; null if it is not. Omitted while a worker sends it: its lease stays. */
  readonly dueAt?: number | null;
  readonly failure: string | null;
  readonly tries: number;
  /** A message of it left, or may have. Otherwise what is stored stays. */
  readonly mayHaveLeft?: boolean;
  readonly reason?: string;
  /** The state does not enter the history. */
  readonly silent?: boolean;
}

/**
 * Applies an event to a notification that the transaction has locked or claimed, and stores the new state. Deletes the
 * variables once they are not needed. Tells each entry of the history to webhooks. Returns the new history; undefined if the
 * event is not allowed, or another worker has claimed it since.
 */
export async function applyEvent(
  tx: Tx,
  of: ToldNotification &
    Pick<ClaimedNotification, 'workspaceId' | 'status' | 'history' | 'claim'> & {
      readonly trace?: string | null;
    },
  event: NotificationEvent,
  { dueAt, failure, tries, mayHaveLeft = false, reason, silent = false }: NextState,
): Promise<readonly HistoryEntry[] | undefined> {
  const { outcome, state } = step(of.status, event);
  if (outcome === 'refused') return undefined;
  const unchanged =
    silent || (outcome === 'stayed' && (reason === undefined || of.history.at(-1)?.reason === reason));
  const entry = { status: state, at: new Date(tx.now).toISOString(), ...(reason && { reason }) };
  const history = unchanged ? of.history : [...of.history, entry];
  const columns: Record<string, SqlValue> = {
    status: state,
    history: JSON.stringify(history),
    failure,
    tries,
  };
  if (mayHaveLeft) columns.may_have_left = 1;
  if (dueAt !== undefined) Object.assign(columns, { due_at: dueAt, claimed: 0 });
  if (isEnd(state) || event === 'accept') columns.variables = null;
  const [stored, named] = await pipeline([
    notificationClaim.store(tx, of, columns),
    unchanged ? undefined : namedKinds(tx, of.workspaceId),
  ]);
  if (!stored) return undefined;
  const kind = `notification.${state}` as const;
  if (named?.has(kind))
    await tell(tx, of.workspaceId, kind, of, {
      ...definedFields({ reason: failure ?? reason }),
      trace: of.trace ?? undefined,
    });
  return history;
}

/**
 * Ends a notification that the transaction has locked or claimed, and that no worker sends. `mayHaveLeft`: a message may have
 * left in the attempt that ends. What was certainly not sent counts neither as a contact nor against a cap.
 */
export async function endCancelled(
  tx: Tx,
  of: Parameters<typeof applyEvent>[1] & Pick<ClaimedNotification, 'hashId' | 'tries' | 'mayHaveLeft'>,
  mayHaveLeft = false,
): Promise<void> {
  await applyEvent(tx, of, 'cancel', { dueAt: null, failure: null, tries: of.tries, mayHaveLeft });
  if (mayHaveLeft || of.mayHaveLeft) return;
  await contacts.release(tx, of.workspaceId, of.hashId, of.notificationId);
  await marketingSent.remove(tx, of.workspaceId, of.hashId, of.notificationId);
}
