import type { ConcurrencyKey, Tx } from '../../platform/store/store.ts';
import { type About, occurrenceOf } from '../rules/occurrence.ts';
import { fanOuts } from './fan-outs.ts';

/** A user's reaction to a message or notification. */
export interface Outcome {
  readonly workspaceId: string;
  readonly kind: 'message' | 'notification';
  /** Decision id of a message, notification id of a notification. */
  readonly id: string;
  readonly type: 'opened' | 'clicked' | 'actioned' | 'dismissed';
  readonly hashId: string;
  /** Content of a message, template of a notification. */
  readonly contentId: string;
  /** What filters of subscriptions look at beside. */
  readonly about: About;
  /** The traceparent of the request that reports it. */
  readonly trace: string | undefined;
}

/**
 * Outcomes of a workspace that are stored at a time: they may share the row of a subscription. With the batches of events
 * it is below the size of the connection pool, so that a long lock leaves connections for other requests.
 */
const MAX_OUTCOMES = 3;

/** What concurrent reports of outcomes share: the message or notification, and what they write (Descriptor.concurrency). */
export const outcomeWrites = (kind: Outcome['kind'], id: string): ConcurrencyKey[] => [
  { key: `${kind} ${id}` },
  { key: 'outcomes', max: MAX_OUTCOMES },
];

/**
 * Records an outcome once per message or notification and type. Returns false for a repeat, which has no effect. Its
 * webhook deliveries are queued in the same transaction, so both are stored or neither is.
 */
export async function recordOutcome(tx: Tx, outcome: Outcome): Promise<boolean> {
  const { workspaceId, kind, id, type, hashId } = outcome;
  const added = await tx.sql.run(
    `INSERT INTO outcome (workspace_id, kind, id, type, at_ms, hash_id) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (workspace_id, kind, id, type) DO NOTHING`,
    [workspaceId, kind, id, type, tx.now, hashId || null],
  );
  if (added === 0) return false;
  const occurrence = occurrenceOf(outcome, tx.now);
  if (occurrence) await fanOuts.start(tx, workspaceId, occurrence);
  return true;
}
