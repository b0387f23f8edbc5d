import type { EndpointName } from '../../contract/endpoints.ts';

/** Requests that act for one user, who waits: bulk work gives way to them (runtime/precedence.ts). */
export const INTERACTIVE: ReadonlySet<EndpointName> = new Set<EndpointName>([
  'decide',
  'trigger',
  'listMessages',
  'messageOutcome',
  'notificationOutcome',
]);

/** Requests that read a page of a list, a piece of bulk work. */
export const PAGES: ReadonlySet<EndpointName> = new Set<EndpointName>([
  'listDecisions',
  'listWebhooks',
  'listDeliveries',
]);

/** Requests that write many records, which the writes of other requests pass. */
export const BULK: ReadonlySet<EndpointName> = new Set<EndpointName>(['ingestEvents', 'ingestUsers']);

/** Requests that read nothing before their first statements, not even the time, and change by them only what may be repeated. */
export const JOINED: ReadonlySet<EndpointName> = new Set<EndpointName>(['decide']);
