import type { Group } from '../../contract/limits.ts';
import { decide } from '../domain/sliding-window.ts';
import type { Tx } from './store.ts';

/** What the sliding window says of one request. */
export interface Admission {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests left in the window after this one. */
  readonly remaining: number;
  /** Milliseconds until the oldest counted request leaves the window. */
  readonly resetInMs: number;
  /** Seconds until there is room again; undefined when allowed. */
  readonly retryAfter: number | undefined;
}

/**
 * The exact sliding window (specification: Limits): at most `limit` admitted requests in any `windowMs`, kept as a
 * log of their times, so that several processes share it and a restart refills nothing. Refused requests are not
 * logged. `at` is the limiter's own time (see limiter-clock.ts), which a changed wall clock does not move.
 */
export async function admit(
  tx: Tx,
  workspaceId: string,
  group: Group,
  { limit, windowMs, at }: { limit: number; windowMs: number; at: number },
): Promise<Admission> {
  const key = [workspaceId, group];
  await tx.sql.run('DELETE FROM admission WHERE workspace_id = ? AND group_name = ? AND at_ms <= ?', [
    ...key,
    at - windowMs,
  ]);
  const row = await tx.sql.get<{ used: number; oldest: number | null }>(
    'SELECT count(*) AS used, min(at_ms) AS oldest FROM admission WHERE workspace_id = ? AND group_name = ?',
    key,
  );
  const counted = Number(row!.used);
  const oldest = row!.oldest === null ? undefined : Number(row!.oldest);
  const blocking = counted >= limit ? await nth(tx, key, counted - limit) : undefined;
  const verdict = decide({ counted, oldest, blocking }, at, windowMs, limit);
  if (verdict.admitted) {
    await tx.sql.run('INSERT INTO admission (workspace_id, group_name, at_ms) VALUES (?, ?, ?)', [
      ...key,
      at,
    ]);
  }
  return {
    allowed: verdict.admitted,
    limit,
    remaining: verdict.remaining,
    resetInMs: verdict.resetAt - at,
    retryAfter: verdict.retryAfter,
  };
}

/** The stamp that has `older` counted ones before it: where the limit was lowered, more than one has to leave. */
async function nth(tx: Tx, key: string[], older: number): Promise<number | undefined> {
  const row = await tx.sql.get<{ at: number }>(
    'SELECT at_ms AS at FROM admission WHERE workspace_id = ? AND group_name = ? ORDER BY at_ms LIMIT 1 OFFSET ?',
    [...key, older],
  );
  return row && Number(row.at);
}
