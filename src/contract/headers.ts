/**
 * Names of HTTP headers, in lower case as in Node.js and undici.
 * Specification: Authentication, Limits. The rest is from docs/design-choices.md.
 */
export const HEADERS = {
  authorization: 'authorization',
  workspace: 'x-service-workspace',
  userToken: 'x-service-user-token',
  requestId: 'x-service-request-id',
  region: 'x-service-region',
  mode: 'x-service-mode',
  features: 'x-service-features',
  limit: 'x-service-ratelimit-limit',
  remaining: 'x-service-ratelimit-remaining',
  reset: 'x-service-ratelimit-reset',
  retryAfter: 'retry-after',
  idempotencyKey: 'idempotency-key',
  idempotentReplayed: 'idempotent-replayed',
  signature: 'x-service-signature',
  webhookId: 'webhook-id',
  webhookTimestamp: 'webhook-timestamp',
  webhookSignature: 'webhook-signature',
} as const;

/** What the service takes beyond the specification, as its answers list it. */
export const FEATURES = 'eventId';

/** The headers of an answer that a page may read: those that describe the answer, and none of its connection. */
export const ANSWER_HEADERS = [
  HEADERS.requestId,
  HEADERS.region,
  HEADERS.mode,
  HEADERS.features,
  HEADERS.limit,
  HEADERS.remaining,
  HEADERS.reset,
  HEADERS.retryAfter,
  HEADERS.idempotentReplayed,
] as const;
