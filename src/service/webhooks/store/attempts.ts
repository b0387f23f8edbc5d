import { listed } from '../../platform/store/listed.ts';
import { insertRows } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { Attempt } from '../rules/attempt.ts';
import type { ClaimedDelivery } from './claims.ts';
import { performance } from './performance.ts';

/** Number of attempts kept per delivery, the latest ones. Redeliveries are unlimited. */
const KEPT_ATTEMPTS = 50;
const ERROR_CHARACTERS = 500;

/** An attempt that ended, with its duration in ms. */
export type EndedAttempt = Attempt & {
  readonly error: string | null;
  readonly startedAt: number;
  readonly durationMs: number;
};

/** A claimed delivery and the attempt that was made. */
export interface Ended {
  readonly claimed: ClaimedDelivery;
  readonly attempt: EndedAttempt;
}

/** Of a delivery that is sent again: a new series of attempts if the last one has ended. */
export const NEW_SERIES_IF_ENDED = `attempts = CASE WHEN due_at IS NULL THEN 0 ELSE attempts END,
  first_attempt_at = CASE WHEN due_at IS NULL THEN NULL ELSE first_attempt_at END`;

/** When an attempt began, Unix ms. */
export const beginOf = ({ endedAt, durationMs }: EndedAttempt): number => endedAt - Math.round(durationMs);

/** Adds and counts attempts of deliveries of one subscription, and removes those that are too old to be kept. */
export async function addAttempts(tx: Tx, ended: readonly Ended[]): Promise<void> {
  if (ended.length === 0) return;
  const { workspaceId, webhookId } = ended[0]!.claimed;
  const { text, param } = listed(
    tx.sql.dialect,
    'delivery_id',
    ended.map(({ claimed }) => claimed.deliveryId),
  );
  const last = await tx.sql.all<{ id: string; number: number }>(
    `SELECT delivery_id AS id, max(number) AS number FROM delivery_attempt WHERE workspace_id = ? AND ${text}
     GROUP BY delivery_id`,
    [workspaceId, param],
  );
  const numbers = new Map(last.map(({ id, number }) => [id, number]));
  const numberOf = ({ claimed }: Ended) => (numbers.get(claimed.deliveryId) ?? 0) + 1;
  await insertRows(
    tx,
    'INSERT INTO delivery_attempt (workspace_id, delivery_id, number, at, status, error, duration_ms, signed_by)',
    ended.map((each) => {
      const { claimed, attempt } = each;
      const error = attempt.error?.slice(0, ERROR_CHARACTERS) ?? null;
      const result = [attempt.startedAt, attempt.status, error, Math.round(attempt.durationMs)];
      return [workspaceId, claimed.deliveryId, numberOf(each), ...result, JSON.stringify(claimed.signedBy)];
    }),
  );
  for (const each of ended)
    if (numberOf(each) > KEPT_ATTEMPTS)
      await tx.sql.run(
        'DELETE FROM delivery_attempt WHERE workspace_id = ? AND delivery_id = ? AND number <= ?',
        [workspaceId, each.claimed.deliveryId, numberOf(each) - KEPT_ATTEMPTS],
      );
  const attempts = ended.map(({ attempt }) => attempt);
  // Last, since attempts that are stored at once wait for each other's rows.
  tx.deferUntilCommit([performance.add(tx, workspaceId, webhookId, attempts)]);
}
