import { occurrenceOf } from '../../domain/deliveries/occurrence.ts';
import type { Tx } from '../store.ts';
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
}

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
