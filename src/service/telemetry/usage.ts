import { GROUPS, type Group } from '../../contract/limits.ts';
import type { Clock } from '../../kit/clock.ts';
import { usedSince } from '../platform/limits/admissions.ts';
import type { LimiterTime } from '../platform/limits/limiter.ts';
import type { Policy } from '../platform/settings.ts';
import type { Store } from '../platform/store/store.ts';

/** Parts into which the window is divided. */
const USAGE_BUCKETS = 60;

/** How much of the limit of a group is used. */
export interface GroupUsage {
  readonly group: Group;
  /** Requests per window; null for no limit. */
  readonly limit: number | null;
  /** Requests in the window; 0 without a limit, as they are not counted then. */
  readonly used: number;
  /** When the oldest of them leaves the window, Unix ms; null if there is none. */
  readonly nextFreeAt: number | null;
  /** Requests per part of the window, the oldest part first. */
  readonly buckets: readonly number[];
}

/** Reads the sliding windows of a workspace, without counting anything. */
export async function readUsage(
  { store, clock, policy }: { store: Store; clock: Pick<Clock, 'now'>; policy: () => Policy },
  limiterTime: LimiterTime,
  workspaceId: string,
): Promise<{ readonly windowMs: number; readonly groups: readonly GroupUsage[] }> {
  const { limits, windowMs } = policy();
  return store.read(async (tx) => {
    const at = await limiterTime(tx);
    const from = at - windowMs;
    const rows = await usedSince(tx, workspaceId, from, Math.max(1, Math.ceil(windowMs / USAGE_BUCKETS)));
    const wall = clock.now();
    const groups = GROUPS.map((group): GroupUsage => {
      const own = rows.filter((row) => row.group === group && limits[group] !== null);
      const buckets = new Array<number>(USAGE_BUCKETS).fill(0);
      for (const { bucket, counted } of own) buckets[Math.min(USAGE_BUCKETS - 1, bucket)]! += counted;
      const oldest = own[0]?.oldest;
      return {
        group,
        limit: limits[group],
        used: own.reduce((sum, { counted }) => sum + counted, 0),
        nextFreeAt: oldest === undefined ? null : Math.round(wall + oldest + windowMs - at),
        buckets,
      };
    });
    return { windowMs, groups };
  });
}
