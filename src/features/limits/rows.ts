import type { ObservedLimit } from '../../client/observed-limits.ts';
import { GROUP_LIMITS, GROUPS, type Group, WINDOW_MS } from '../../contract/limits.ts';

/** One group as `svc limits` shows it. Times are ISO 8601; null where nothing was seen. */
export interface LimitRow {
  readonly group: Group;
  readonly covers: string;
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly used: number | null;
  /** When the next slot frees. */
  readonly reset: string | null;
  readonly seenAt: string | null;
  /** True where what was seen is older than a window: nothing of it counts any more. */
  readonly stale: boolean;
  readonly default: number;
  readonly ceiling: number;
}

/**
 * A row for every group, seen or not. `now` is in Unix ms. `inForce` is what the limits surely are, null for none: what
 * was seen under another counts no more.
 */
export function limitRows(
  observed: readonly ObservedLimit[],
  now: number,
  inForce?: Readonly<Record<Group, number | null>>,
): LimitRow[] {
  return GROUPS.map((group) => {
    const seen = observed.find(
      (one) => one.group === group && (inForce === undefined || one.limit === inForce[group]),
    );
    const { default: usual, ceiling, covers } = GROUP_LIMITS[group];
    return {
      group,
      covers,
      limit: inForce?.[group] ?? seen?.limit ?? null,
      remaining: seen?.remaining ?? null,
      used: seen ? Math.max(0, seen.limit - seen.remaining) : null,
      reset: iso(seen?.reset),
      seenAt: iso(seen?.seenAt),
      stale: seen !== undefined && now - seen.seenAt >= WINDOW_MS,
      default: usual,
      ceiling,
    };
  });
}

/** A foreign header may name a time that no calendar has. */
function iso(at: number | undefined): string | null {
  return at === undefined || Math.abs(at) > 8.64e15 ? null : new Date(at).toISOString();
}
