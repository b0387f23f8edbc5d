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
  importRun: 'x-service-import-run',
  signature: 'x-service-signature',
  webhookId: 'webhook-id',
  webhookTimestamp: 'webhook-timestamp',
  webhookSignature: 'webhook-signature',
} as const;

/** What a service may take beyond the specification, as its answers list it, separated by commas. */
export type ServiceFeature = 'eventId' | 'importRun';

/** What this service takes beyond the specification. */
export const FEATURES = 'eventId,importRun';

/** True if the headers of an answer, by lower-case name, declare a feature. */
export function declaresFeature(headers: Readonly<Record<string, string>>, feature: ServiceFeature): boolean {
  return headers[HEADERS.features]?.split(',').some((each) => each.trim() === feature) ?? false;
}

/** What the header of a run of an import may hold: an identifier that its sender chose. */
export const IMPORT_RUN = /^[A-Za-z0-9_-]{1,64}$/;

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
