import type { ObservedLimit } from '../../client/observed-limits.ts';
import { GROUP_LIMITS, GROUPS, type Group, UNLIMITED, WINDOW_MS } from '../../contract/limits.ts';

/**
 * A group in the output of `svc limits`. Times are ISO 8601; values are null if nothing was observed. If `seenAt` is set
 * and `limit` is null, the group has no limit.
 */
export interface LimitRow {
  readonly group: Group;
  readonly covers: string;
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly used: number | null;
  /** The time when the next slot becomes free. */
  readonly reset: string | null;
  readonly seenAt: string | null;
  /** True if the observation is older than a window and therefore no longer valid. */
  readonly stale: boolean;
  readonly default: number;
  readonly ceiling: number;
}

/** The use of a limit as the limiter itself states it. `nextFreeAt` is in Unix ms, null if nothing is counted. */
interface Usage {
  readonly group: Group;
  /** Null for no limit. */
  readonly limit: number | null;
  readonly used: number;
  readonly nextFreeAt: number | null;
}

/** The rows of a service in this process, whose limiter was read at `now` (Unix ms). */
export function usageRows(usage: readonly Usage[], now: number): LimitRow[] {
  return usage.map(({ group, limit, used, nextFreeAt }) => ({
    group,
    covers: GROUP_LIMITS[group].covers,
    limit,
    remaining: limit === null ? null : Math.max(0, limit - used),
    used: limit === null ? null : used,
    reset: iso(limit === null ? undefined : (nextFreeAt ?? undefined)),
    seenAt: iso(now),
    stale: false,
    default: GROUP_LIMITS[group].default,
    ceiling: GROUP_LIMITS[group].ceiling,
  }));
}

/** A row for every group, observed or not. `now` is in Unix ms. */
export function limitRows(observed: readonly ObservedLimit[], now: number): LimitRow[] {
  return GROUPS.map((group) => {
    const latest = observed.find((one) => one.group === group);
    const seen = latest?.limit === UNLIMITED ? undefined : latest;
    const { default: defaultLimit, ceiling, covers } = GROUP_LIMITS[group];
    return {
      group,
      covers,
      limit: seen?.limit ?? null,
      remaining: seen?.remaining ?? null,
      used: seen ? Math.max(0, seen.limit - seen.remaining) : null,
      reset: iso(seen?.reset),
      seenAt: iso(latest?.seenAt),
      stale: latest !== undefined && now - latest.seenAt >= WINDOW_MS,
      default: defaultLimit,
      ceiling,
    };
  });
}

/** Null for times outside the range of Date, which a header may contain. */
function iso(at: number | undefined): string | null {
  return at === undefined || Math.abs(at) > 8.64e15 ? null : new Date(at).toISOString();
}
