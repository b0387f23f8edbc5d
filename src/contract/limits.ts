/** Rate limits and size limits of the API (specification: Limits; the body size is from docs/design-choices.md). */

export const GROUPS = ['ingest', 'inform', 'decisions', 'reads', 'webhooks'] as const;

/** A group of endpoints that share a rate limit within a workspace. */
export type Group = (typeof GROUPS)[number];

/** What is counted: requests of a group, receipts of providers, or uses of links that unsubscribe. */
export type CountedGroup = Group | 'receipts' | 'unsubscribes';

export interface GroupLimit {
  /** Requests per window and workspace unless configured otherwise. */
  readonly default: number;
  /** The highest limit outside the enterprise tier. */
  readonly ceiling: number;
  /** The endpoints of the group, for display. */
  readonly covers: string;
}

export const GROUP_LIMITS: Readonly<Record<Group, GroupLimit>> = {
  ingest: { default: 600, ceiling: 5000, covers: 'POST /events, POST /users, consent, outcomes' },
  inform: { default: 300, ceiling: 3000, covers: 'POST /inform/trigger' },
  decisions: { default: 600, ceiling: 5000, covers: 'POST /decisioning/decide' },
  reads: { default: 60, ceiling: 300, covers: 'GET endpoints' },
  webhooks: { default: 30, ceiling: 120, covers: 'webhook management, catalog changes' },
};

/** The value of the limit headers where there is no limit: the largest 32-bit integer. */
export const UNLIMITED = 2_147_483_647;

/** Length of the sliding window, in milliseconds. */
export const WINDOW_MS = 60_000;

/** Maximum number of events or users in a request. */
export const MAX_BATCH = 1000;

/** Maximum size of a request body in bytes, before and after decompression. */
export const MAX_BODY_BYTES = 8 * 1024 * 1024;

/** Maximum number of fields of an object with custom names: an event's properties, a user's traits. */
export const MAX_FIELDS = 1000;

/** Maximum number of values in a request body. */
export const MAX_VALUES = 100_000;

/** Maximum nesting depth of a request body; valid requests have at most 5. */
export const MAX_DEPTH = 32;

/** Receipts of providers, and links that unsubscribe, per window and workspace, each counted apart from all else. */
export const RECEIPTS_LIMIT = 12_000;

/** Maximum number of webhook subscriptions of a workspace. */
export const MAX_WEBHOOKS = 1000;

/** Characters of an event id. */
export const MAX_EVENT_ID = 128;

/** Maximum length of an identifier or a name, in characters. */
export const MAX_NAME = 256;

/** Maximum length of a user's traits as JSON, in characters: every decision for the user reads them. */
export const MAX_TRAITS = 64 * 1024;

/** Maximum number of devices that one user of a request may add. */
export const MAX_DEVICES = 20;

/** Maximum length of the token of a device, in characters. */
export const MAX_TOKEN = 4096;

/** Maximum number of further e-mail addresses, phone numbers or statements of consent of a user in a request. */
export const MAX_LIST = 64;

/** Maximum length of a notification's variables as JSON, in characters. */
export const MAX_VARIABLES = 64 * 1024;

/** How far ahead a notification may be scheduled, in days. */
export const MAX_SEND_AHEAD_DAYS = 30;

/** Maximum length of a time zone and of a locale tag, in characters. */
export const MAX_TAG = 64;

/** Maximum of the guardrail on contacts per day; contacts are counted up to this number. */
export const MAX_DAILY_CONTACTS = 100_000;

/** How long the service keeps an idempotency key and its answer, in milliseconds. */
export const IDEMPOTENCY_TTL_MS = 24 * 3600 * 1000;

/** Who is limited where an app uses a publishable key: a user, an address on the network, the key as a whole. */
export const CLIENT_SCOPES = ['user', 'address', 'key'] as const;
export type ClientScope = (typeof CLIENT_SCOPES)[number];

/** Requests with publishable keys per window and node, unless configured otherwise. */
export const CLIENT_LIMITS: Readonly<Record<ClientScope, number>> = { user: 60, address: 600, key: 6000 };

/** Events and bytes of a request with a publishable key. */
export const MAX_CLIENT_EVENTS = 50;
export const MAX_CLIENT_BYTES = 64 * 1024;

/** How far the time of an event from an app may be from that of the service, in milliseconds. */
export const CLIENT_TIMES = { past: 7 * 86_400_000, ahead: 5 * 60_000 };

/** Validity of a user token in seconds. */
export const USER_TOKEN_SECONDS = { least: 60, most: 86_400, default: 3600 };

/** How long a fault delays an answer or a delivery where its rule does not say, in ms. */
export const DEFAULT_FAULT_DELAY_MS = 2000;

/** Injections of each fault that a service keeps: one that is frequent leaves the others their place. */
export const MAX_INJECTIONS = 50;
