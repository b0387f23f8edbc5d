/**
 * The endpoint table. The client's calls and retries, the service's routes, validation on both sides, rate-limit groups
 * and the OpenAPI description are derived from it.
 */
import type * as z from 'zod/mini';
import type { Group } from './limits.ts';
import * as s from './schemas.ts';

/**
 * Whether a client may retry a request whose response may have been lost.
 * `always`: a retry has the same effect (reads, upserts, events under one key).
 * `keyed`: only if the service is known to support Idempotency-Key (docs/decisions.md, "Repeating a request").
 */
export type Repeat = 'always' | 'keyed';

/** The part of an endpoint that the client needs (operations.gen.ts). */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path below the base URL; `{id}` marks a parameter. */
  readonly path: string;
  readonly group: Group;
  readonly repeat: Repeat;
}

export interface Endpoint extends Operation {
  readonly summary: string;
  readonly success: 200 | 201 | 202 | 204;
  /** True if the operation is not in the specification. */
  readonly beyondSpecification: boolean;
  readonly request?: z.ZodMiniType;
  readonly query?: z.ZodMiniType;
  readonly answer?: z.ZodMiniType;
  /** True for a stream of server-sent events instead of a JSON response. */
  readonly stream?: boolean;
  /** True for a GET that takes note of what it served. */
  readonly marks?: boolean;
}

function table<const T extends Record<string, Endpoint>>(entries: T): T {
  return entries;
}

export const ENDPOINTS = table({
  ingestEvents: {
    method: 'POST',
    path: '/v1/events',
    group: 'ingest',
    success: 202,
    repeat: 'always',
    beyondSpecification: false,
    summary: 'Ingest up to 1,000 events',
    request: s.IngestEventsRequest,
    answer: s.IngestEventsAnswer,
  },
  ingestUsers: {
    method: 'POST',
    path: '/v1/users',
    group: 'ingest',
    success: 200,
    repeat: 'always',
    beyondSpecification: false,
    summary: 'Create or update up to 1,000 users',
    request: s.IngestUsersRequest,
    answer: s.IngestUsersAnswer,
  },
  decide: {
    method: 'POST',
    path: '/v1/decisioning/decide',
    group: 'decisions',
    success: 200,
    repeat: 'keyed',
    beyondSpecification: false,
    summary: 'Choose the next best action for a user',
    request: s.DecideRequest,
    answer: s.DecideAnswer,
  },
  trigger: {
    method: 'POST',
    path: '/v1/inform/trigger',
    group: 'inform',
    success: 202,
    repeat: 'keyed',
    beyondSpecification: false,
    summary: 'Trigger a templated notification',
    request: s.TriggerRequest,
    answer: s.TriggerAnswer,
  },
  createWebhook: {
    method: 'POST',
    path: '/v1/webhooks',
    group: 'webhooks',
    success: 201,
    repeat: 'keyed',
    beyondSpecification: false,
    summary: 'Subscribe a URL to outcomes',
    request: s.CreateWebhookRequest,
    answer: s.Webhook,
  },
  streamEvents: {
    method: 'GET',
    path: '/v1/events/stream',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The live event stream (Server-Sent Events)',
    stream: true,
  },
  listDecisions: {
    method: 'GET',
    path: '/v1/decisions',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The decision log, oldest first: candidates, propensities, model version, seed and reward',
    query: s.ListDecisionsQuery,
    answer: s.ListDecisionsAnswer,
  },
  listMessages: {
    method: 'GET',
    path: '/v1/messages',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The pending messages of a user',
    marks: true,
    query: s.ListMessagesQuery,
    answer: s.ListMessagesAnswer,
  },
  messageOutcome: {
    method: 'POST',
    path: '/v1/messages/{decisionId}/outcomes',
    group: 'ingest',
    success: 202,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Report what the user did with a message',
    request: s.MessageOutcomeRequest,
    answer: s.OutcomeAnswer,
  },
  getNotification: {
    method: 'GET',
    path: '/v1/inform/notifications/{id}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The delivery record of a notification',
    answer: s.Notification,
  },
  notificationOutcome: {
    method: 'POST',
    path: '/v1/inform/notifications/{id}/outcomes',
    group: 'ingest',
    success: 202,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Report a tap on a notification',
    request: s.NotificationOutcomeRequest,
    answer: s.OutcomeAnswer,
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'List the webhook subscriptions',
    query: s.ListWebhooksQuery,
    answer: s.ListWebhooksAnswer,
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/webhooks/{id}',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'Show a webhook subscription',
    answer: s.Webhook,
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    group: 'webhooks',
    success: 200,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Change, enable or renew a webhook subscription',
    request: s.UpdateWebhookRequest,
    answer: s.Webhook,
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    group: 'webhooks',
    success: 204,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Remove a webhook subscription',
  },
  rotateWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate',
    group: 'webhooks',
    success: 200,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Set a new signing secret; both sign for 24 hours',
    request: s.RotateWebhookRequest,
    answer: s.Webhook,
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries',
    group: 'reads',
    success: 200,
    repeat: 'always',
    beyondSpecification: true,
    summary: 'The recent deliveries of a subscription',
    query: s.ListDeliveriesQuery,
    answer: s.ListDeliveriesAnswer,
  },
  redeliver: {
    method: 'POST',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    group: 'webhooks',
    success: 202,
    repeat: 'keyed',
    beyondSpecification: true,
    summary: 'Send a delivery again',
    answer: s.RedeliverAnswer,
  },
});

export type EndpointName = keyof typeof ENDPOINTS;

type Schema<
  N extends EndpointName,
  K extends 'request' | 'answer' | 'query',
> = (typeof ENDPOINTS)[N] extends { [P in K]: infer S extends z.ZodMiniType } ? z.infer<S> : undefined;

export type RequestOf<N extends EndpointName> = Schema<N, 'request'>;
export type AnswerOf<N extends EndpointName> = Schema<N, 'answer'>;
