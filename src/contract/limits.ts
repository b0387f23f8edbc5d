/** Rate limits and size limits of the wire (specification: Limits; the body size is from docs/decisions.md). */

export const GROUPS = ['ingest', 'inform', 'decisions', 'reads', 'webhooks'] as const;

/** A group of endpoints that share one rate limit in a workspace. */
export type Group = (typeof GROUPS)[number];

export interface GroupLimit {
  /** Requests a window and workspace when nothing else is arranged. */
  readonly default: number;
  /** The most that can be arranged outside an enterprise tier. */
  readonly ceiling: number;
  /** What the group covers, as shown to people. */
  readonly covers: string;
}

export const GROUP_LIMITS: Readonly<Record<Group, GroupLimit>> = {
  ingest: { default: 600, ceiling: 5000, covers: 'POST /events, POST /users, outcomes' },
  inform: { default: 300, ceiling: 3000, covers: 'POST /inform/trigger' },
  decisions: { default: 600, ceiling: 5000, covers: 'POST /decisioning/decide' },
  reads: { default: 60, ceiling: 300, covers: 'GET endpoints' },
  webhooks: { default: 30, ceiling: 120, covers: 'webhook management' },
};

/** Length of the sliding window, in milliseconds. */
export const WINDOW_MS = 60_000;

/** Most events (or users) that one request may hold. */
export const MAX_BATCH = 1000;

/** Most bytes of a request body, before and after decompression. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Most fields of one object in a request: an event's properties, a user's traits. */
export const MAX_FIELDS = 1000;

/** Most values in one request body, however small it is. */
export const MAX_VALUES = 100_000;

/** Deepest nesting of a request body; what the service takes is at most 5 deep. */
export const MAX_DEPTH = 32;

/** Most webhook subscriptions of a workspace. */
export const MAX_WEBHOOKS = 1000;

/** Most characters of an identifier or a name. */
export const MAX_NAME = 256;

/** Most characters of a user's traits together, as JSON: every decision for the user reads them. */
export const MAX_TRAITS = 64 * 1024;

/** Most characters of a notification's variables together, as JSON. */
export const MAX_VARIABLES = 64 * 1024;

/** Most characters of a time zone and of a locale tag. */
export const MAX_TAG = 64;

/** Most contacts a day that a guardrail may allow; all of a day are counted up to here. */
export const MAX_DAILY_CONTACTS = 100_000;

/** How long the service keeps an idempotency key and its answer, in milliseconds. */
export const IDEMPOTENCY_TTL_MS = 24 * 3600 * 1000;
