import type { Mode } from '../../platform/store/workspaces.ts';
import { Claims } from '../../platform/workers/jobs.ts';
import type { NotificationState } from '../rules/state.ts';

export interface HistoryEntry {
  readonly status: NotificationState;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Why it is held, or how it is known to be delivered. */
  readonly reason?: string;
}

export interface StoredNotification {
  readonly notificationId: string;
  readonly hashId: string;
  readonly templateId: string;
  readonly channel: string;
  readonly priority: string;
  readonly status: NotificationState;
  readonly history: readonly HistoryEntry[];
  /** Why it failed, without personal data; null unless it failed. */
  readonly failure: string | null;
  /** Until when it is held, Unix ms; null unless it is. */
  readonly heldUntil: number | null;
  /** The time for which it was triggered, Unix ms; null for at once. */
  readonly sendAt: number | null;
}

/** A notification claimed by a worker. `variables` are encrypted. */
export interface ClaimedNotification extends StoredNotification {
  readonly workspaceId: string;
  /** The mode of the workspace. */
  readonly mode: Mode;
  readonly variables: Uint8Array;
  readonly claim: number;
  /** Earlier attempts to send it. */
  readonly tries: number;
  /** The time for which it was triggered, or that when it was, Unix ms. */
  readonly sendFrom: number;
  /** 1 if nothing more of it may be sent. */
  readonly cancelled: number;
  /** 1 once a message of it left for a provider that took it, or may have. */
  readonly mayHaveLeft: number;
  /** The traceparent of the request that triggered it, or null. */
  readonly trace: string | null;
}

/** A notification that the transaction has locked. */
export type LockedNotification = StoredNotification &
  Pick<ClaimedNotification, 'workspaceId' | 'claim' | 'tries' | 'cancelled' | 'mayHaveLeft'> & {
    /** More than 0 while a worker holds a claim. */
    readonly claimed: number;
    /** Unix ms; null if it is not due any more. */
    readonly dueAt: number | null;
  };

/** Which notifications; times are Unix ms. */
export interface NotificationFilter {
  readonly hashId: string | undefined;
  readonly status: string | undefined;
  readonly failure: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

/** The channel accepted a notification: a receipt will follow, or that is all that will be known. */
export type Accepted = { readonly event: 'accept' } | { readonly event: 'deliver'; readonly reason: string };

/** The result of an attempt to send: accepted, to be retried, or failed. */
export type DispatchResult =
  | Accepted
  | { readonly event: 'fail'; readonly failure: string }
  | {
      readonly event: 'retry';
      readonly failure: string;
      /** How long the provider asks to wait, in ms. */
      readonly retryAfterMs?: number | undefined;
      /** Too many requests: the attempt does not count. */
      readonly throttled: boolean;
      /** What another address of the user accepted; it holds when no retry is left. */
      readonly accepted: Accepted | undefined;
    };

/** What became of a notification that was cancelled. */
export interface Cancelled {
  readonly status: NotificationState;
  /** A message of it left, or may have. */
  readonly sentBefore: boolean;
  /** A worker sends it now, for the last time. */
  readonly sending: boolean;
}

export const NOTIFICATION_COLUMNS = `notification_id AS "notificationId", hash_id AS "hashId", template_id AS "templateId", channel,
  priority, status, history, failure, CASE WHEN status = 'held' THEN due_at END AS "heldUntil",
  send_at AS "sendAt"`;

export type NotificationRow = Omit<StoredNotification, 'history'> & { history: string };
export const fromRow = <T extends { history: string }>(row: T) => ({
  ...row,
  history: JSON.parse(row.history) as HistoryEntry[],
});

/** The claims of the dispatcher. */
export const notificationClaim = new Claims<
  Pick<ClaimedNotification, 'workspaceId' | 'notificationId' | 'claim'>
>('notification', 'notifications', ({ notificationId }) => notificationId);
