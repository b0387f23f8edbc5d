import type { Group } from '../../contract/limits.ts';
import type { Tx } from './store.ts';

/** What the sliding window says of one request. */
export interface Admission {
  readonly allowed: boolean;
  readonly limit: number;
  /** Requests left in the window after this one. */
  readonly remaining: number;
  /** Milliseconds until the oldest counted request leaves the window. */
  readonly resetInMs: number;
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
  const used = Number(row!.used);
  const allowed = used < limit;
  if (allowed) {
    await tx.sql.run('INSERT INTO admission (workspace_id, group_name, at_ms) VALUES (?, ?, ?)', [
      ...key,
      at,
    ]);
  }
  return {
    allowed,
    limit,
    remaining: Math.max(0, limit - used - (allowed ? 1 : 0)),
    resetInMs: (row!.oldest ?? at) + windowMs - at,
  };
}
