// Made by `npm run generate` from src/contract/endpoints.ts.
import type { EndpointName, Operation } from './endpoints.ts';

/** The endpoints without their schemas, which take long to load: what the client needs. */
export const OPERATIONS: Readonly<Record<EndpointName, Operation>> = {
  ingestEvents: {
    method: 'POST',
    path: '/v1/events',
    group: 'ingest',
    repeat: 'always',
  },
  ingestUsers: {
    method: 'POST',
    path: '/v1/users',
    group: 'ingest',
    repeat: 'always',
  },
  createUserToken: {
    method: 'POST',
    path: '/v1/users/{hashId}/tokens',
    group: 'ingest',
    repeat: 'always',
  },
  decide: {
    method: 'POST',
    path: '/v1/decisioning/decide',
    group: 'decisions',
    repeat: 'keyed',
  },
  trigger: {
    method: 'POST',
    path: '/v1/inform/trigger',
    group: 'inform',
    repeat: 'keyed',
  },
  createWebhook: {
    method: 'POST',
    path: '/v1/webhooks',
    group: 'webhooks',
    repeat: 'keyed',
  },
  setConsent: {
    method: 'POST',
    path: '/v1/users/{hashId}/consent',
    group: 'ingest',
    repeat: 'always',
  },
  getUser: {
    method: 'GET',
    path: '/v1/users/{hashId}',
    group: 'reads',
    repeat: 'always',
  },
  deleteUser: {
    method: 'DELETE',
    path: '/v1/users/{hashId}',
    group: 'ingest',
    repeat: 'always',
  },
  streamEvents: {
    method: 'GET',
    path: '/v1/events/stream',
    group: 'reads',
    repeat: 'always',
  },
  watchEvents: {
    method: 'GET',
    path: '/v1/events/watch',
    group: 'reads',
    repeat: 'always',
  },
  listDecisions: {
    method: 'GET',
    path: '/v1/decisions',
    group: 'reads',
    repeat: 'always',
  },
  getDecision: {
    method: 'GET',
    path: '/v1/decisions/{id}',
    group: 'reads',
    repeat: 'always',
  },
  listMessages: {
    method: 'GET',
    path: '/v1/messages',
    group: 'reads',
    repeat: 'always',
  },
  messageOutcome: {
    method: 'POST',
    path: '/v1/messages/{decisionId}/outcomes',
    group: 'ingest',
    repeat: 'always',
  },
  listNotifications: {
    method: 'GET',
    path: '/v1/inform/notifications',
    group: 'reads',
    repeat: 'always',
  },
  getNotification: {
    method: 'GET',
    path: '/v1/inform/notifications/{id}',
    group: 'reads',
    repeat: 'always',
  },
  notificationOutcome: {
    method: 'POST',
    path: '/v1/inform/notifications/{id}/outcomes',
    group: 'ingest',
    repeat: 'always',
  },
  listWebhooks: {
    method: 'GET',
    path: '/v1/webhooks',
    group: 'reads',
    repeat: 'always',
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/webhooks/{id}',
    group: 'reads',
    repeat: 'always',
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/webhooks/{id}',
    group: 'webhooks',
    repeat: 'keyed',
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/webhooks/{id}',
    group: 'webhooks',
    repeat: 'keyed',
  },
  rotateWebhook: {
    method: 'POST',
    path: '/v1/webhooks/{id}/rotate',
    group: 'webhooks',
    repeat: 'keyed',
  },
  listDeliveries: {
    method: 'GET',
    path: '/v1/webhooks/{id}/deliveries',
    group: 'reads',
    repeat: 'always',
  },
  listAllDeliveries: {
    method: 'GET',
    path: '/v1/deliveries',
    group: 'reads',
    repeat: 'always',
  },
  redeliver: {
    method: 'POST',
    path: '/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver',
    group: 'webhooks',
    repeat: 'keyed',
  },
};
