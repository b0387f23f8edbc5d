import type { Group } from '../../contract/limits.ts';

/** The limits of a workspace (`GET /console/limits`). Times are ISO 8601. */
export interface LimitsView {
  /** Length of the window, in ms; null if it is not known. */
  readonly windowMs: number | null;
  /** True if the numbers come from the limiter, false if from the headers of the last answers. */
  readonly exact: boolean;
  readonly groups: readonly {
    readonly group: Group;
    /** The endpoints of the group, in words. */
    readonly covers: string;
    /** Requests per window; null where there is no limit, or none was seen yet (`seenAt` is null then). */
    readonly limit: number | null;
    readonly used: number | null;
    readonly remaining: number | null;
    /** When the next slot becomes free; null if no request is counted, or it is not known. */
    readonly nextFreeAt: string | null;
    /** When an answer last stated the limit; null if `exact`, or if none did. */
    readonly seenAt: string | null;
    /** Requests in each part of the window, the oldest first; null where they are not known. */
    readonly buckets: readonly number[] | null;
  }[];
}
