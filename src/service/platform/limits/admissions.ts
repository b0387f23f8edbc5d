import type { CountedGroup } from '../../../contract/limits.ts';
import type { Tx } from '../store/store.ts';
import { decide, type Verdict } from './sliding-window.ts';

/**
 * Decides one request by the exact sliding window (domain/sliding-window.ts) and logs it if it is admitted. The log is
 * in the store, so all processes share it and a restart frees no capacity. `at` is limiter time in ms
 * (limiter-clock.ts), which does not depend on the wall clock.
 */
export async function admit(
  tx: Tx,
  workspaceId: string,
  group: CountedGroup,
  { limit, windowMs, at }: { limit: number; windowMs: number; at: number },
): Promise<Verdict> {
  const key = [workspaceId, group];
  await tx.sql.run('DELETE FROM admission WHERE workspace_id = ? AND group_name = ? AND at_ms <= ?', [
    ...key,
    at - windowMs,
  ]);
  const row = await tx.sql.get<{ counted: number; oldest: number | null }>(
    'SELECT count(*) AS counted, min(at_ms) AS oldest FROM admission WHERE workspace_id = ? AND group_name = ?',
    key,
  );
  const { counted } = row!;
  const oldest = row!.oldest ?? undefined;
  const blocking = counted > limit ? await nthOldest(tx, key, counted - limit) : oldest;
  const verdict = decide({ counted, oldest, blocking }, at, windowMs, limit);
  if (verdict.admitted) {
    await tx.sql.run(
      `INSERT INTO admission (workspace_id, group_name, at_ms, seq) VALUES (?, ?, ?, (SELECT COALESCE(max(seq), 0) + 1
         FROM admission WHERE workspace_id = ? AND group_name = ? AND at_ms = ?))`,
      [...key, at, ...key, at],
    );
  }
  return verdict;
}

/** The requests of a group in one part of the window. */
export interface UsageBucket {
  readonly group: CountedGroup;
  /** From 0, the oldest. */
  readonly bucket: number;
  readonly counted: number;
  /** Limiter time of the oldest, in ms. */
  readonly oldest: number;
}

/** Counts the requests that were logged after `from`, in parts of `bucketMs` each. Times are limiter time in ms. */
export async function usedSince(
  tx: Tx,
  workspaceId: string,
  from: number,
  bucketMs: number,
): Promise<UsageBucket[]> {
  // Grouped by the number of the column: PostgreSQL takes the same parameter twice for two different ones.
  return tx.sql.all<UsageBucket>(
    `SELECT group_name AS "group", (at_ms - CAST(? AS BIGINT)) / CAST(? AS BIGINT) AS bucket,
       count(*) AS counted, min(at_ms) AS oldest
     FROM admission WHERE workspace_id = ? AND at_ms > ? GROUP BY 1, 2 ORDER BY 1, 2`,
    [from, bucketMs, workspaceId, from],
  );
}

/** Limiter time of the newest admitted request of any workspace, in ms; 0 if there is none. */
export async function newestAdmission(tx: Tx): Promise<number> {
  const row = await tx.sql.get<{ at: number | null }>(
    `SELECT max(at) AS at FROM (SELECT (SELECT max(a.at_ms) FROM admission a WHERE a.workspace_id = w.workspace_id) AS at
       FROM workspace w) AS newest`,
  );
  return row?.at ?? 0;
}

/** The timestamp with `skip` older ones. Needed after the limit was lowered below the current count. */
async function nthOldest(tx: Tx, key: string[], skip: number): Promise<number | undefined> {
  const row = await tx.sql.get<{ at: number }>(
    'SELECT at_ms AS at FROM admission WHERE workspace_id = ? AND group_name = ? ORDER BY at_ms LIMIT 1 OFFSET ?',
    [...key, skip],
  );
  return row?.at;
}
