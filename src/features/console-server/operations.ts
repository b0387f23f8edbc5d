import { ENDPOINTS, type Endpoint, type EndpointName, paramsOf } from '../../contract/endpoints.ts';
import { pathOf } from '../../contract/path-of.ts';
import type { Target } from './guard.ts';
import { Refusal, readOnly } from './refusal.ts';

/** The operations that the page may call. None answers personal fields, variables, secrets or signatures. */
const READS: readonly EndpointName[] = [
  'listUsers',
  'getUser',
  'getUserTimeline',
  'peekMessages',
  'listLatestMessages',
  'watchEvents',
  'listDecisions',
  'getDecision',
  'listNotifications',
  'getNotification',
  'listWebhooks',
  'getWebhook',
  'listDeliveries',
  'listAllDeliveries',
  'getDelivery',
  'listContents',
  'getContent',
  'getModel',
  'getOverview',
  'getDecisionTrend',
  'getEventTrend',
  'getDeliveryTrend',
  'getEventPlan',
  'getCatalog',
  'listCatalogVersions',
  'getCatalogVersion',
  'validateCatalog',
];

/** Those that change something. */
const WRITES: readonly EndpointName[] = [
  'messageOutcome',
  'notificationOutcome',
  'cancelNotification',
  'redeliver',
  'redeliverMany',
  'updateWebhook',
  'putCatalog',
  'revertCatalog',
];

/** Operations of which the page may send some fields alone: a subscription is enabled, and keeps its address. */
const FIELDS: Partial<Record<EndpointName, readonly string[]>> = { updateWebhook: ['status', 'from'] };

/** Returns the names of the operations that the page may call. */
export function allowedOperations(write: boolean): readonly EndpointName[] {
  return write ? [...READS, ...WRITES] : READS;
}

/** An operation that the page calls. */
export interface Called {
  readonly name: EndpointName;
  readonly endpoint: Endpoint;
  /** Path and query, made from the endpoint table: nothing of what was sent is passed on as it is. */
  readonly path: string;
  /** The fields that its body may have; undefined for all. */
  readonly fields: readonly string[] | undefined;
}

/**
 * Finds the operation that a request below `/api` calls. Throws Refusal for what is not on the list, and for a write
 * where the console is read-only.
 */
export function calledOperation({ method, segments, query }: Target, write: boolean): Called {
  const below = segments.slice(1);
  const paths = allowedOperations(true).filter((name) => matches(ENDPOINTS[name].path, below));
  if (paths.length === 0) throw new Refusal(404, 'not_found', 'The console does not offer this operation.');
  const name = paths.find((one) => ENDPOINTS[one].method === method);
  if (name === undefined)
    throw new Refusal(405, 'method_not_allowed', 'The console does not offer this operation.');
  if (!write && WRITES.includes(name)) throw readOnly();
  const endpoint: Endpoint = ENDPOINTS[name];
  const words = endpoint.path.slice(1).split('/');
  const params = Object.fromEntries(
    paramsOf(endpoint.path).map((param) => [param, below[words.indexOf(`{${param}}`)]!]),
  );
  const text = new URLSearchParams(query).toString();
  return {
    name,
    endpoint,
    fields: FIELDS[name],
    path: pathOf(name, params) + (text === '' ? '' : `?${text}`),
  };
}

/** More characters than any identifier has (MAX_NAME of the contract, in UTF-8). */
const MAX_PARAM = 1024;

function matches(path: string, segments: readonly string[]): boolean {
  const words = path.slice(1).split('/');
  return (
    words.length === segments.length &&
    words.every((word, i) => (word.startsWith('{') ? segments[i]!.length <= MAX_PARAM : word === segments[i]))
  );
}
