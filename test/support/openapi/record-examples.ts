import { randomBytes } from 'node:crypto';
import { ENDPOINTS, type Endpoint, type EndpointName } from '../../../src/contract/endpoints.ts';
import { TAP_KINDS } from '../../../src/contract/event-kinds.ts';
import type { Example } from '../../../src/contract/openapi/examples.ts';
import { pathOf } from '../../../src/contract/path-of.ts';
import { startReceiver } from '../peers/receiver.ts';

/** A service with default limits and a test clock that accepts loopback webhooks. */
export interface RecordedService {
  readonly url: string;
  readonly workspace: string;
  readonly apiKey: string | null;
}

type Body = Record<string, unknown>;

/** A content of a catalog. */
const CONTENT = {
  contentId: 'spring_offer',
  category: 'offers',
  format: 'card',
  title: 'Spring is here',
  body: 'All garden tools at a lower price.',
};

/** A request and its response with headers. */
interface Recorded extends Example {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Requests each operation of the service once, and some errors, and records requests and responses: the examples of the
 * API description. Deliveries are recorded by their kind, errors by their name. Awaits `settle` before each request.
 */
export async function recordExamples(
  service: RecordedService,
  settle: () => Promise<void> = async () => {},
): Promise<Record<string, Recorded>> {
  const recorded: Record<string, Recorded> = {};
  const auth = { authorization: `Bearer ${service.apiKey}`, 'x-service-workspace': service.workspace };

  const fetched = async (
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: string,
  ): Promise<Recorded> => {
    await settle();
    const answer = await fetch(service.url + path, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    const response = text === '' ? {} : { response: JSON.parse(text) };
    return { status: answer.status, headers: Object.fromEntries(answer.headers), ...response };
  };

  const call = async (
    name: EndpointName,
    example: { params?: Record<string, string>; query?: Record<string, string>; request?: unknown } = {},
  ): Promise<Body> => {
    const { method, success }: Endpoint = ENDPOINTS[name];
    const query = example.query ? `?${new URLSearchParams(example.query)}` : '';
    const body = example.request === undefined ? undefined : JSON.stringify(example.request);
    const answer = await fetched(method, pathOf(name, example.params) + query, auth, body);
    if (answer.status !== success) throw new Error(`${name}: ${JSON.stringify(answer)}`);
    recorded[name] = { ...example, ...answer };
    return (answer.response ?? {}) as Body;
  };

  const fail = async (path: string, headers: Record<string, string>, body: unknown): Promise<void> => {
    const answer = await fetched('POST', path, headers, JSON.stringify(body));
    const { error } = answer.response as { error: string };
    recorded[error] = answer;
  };

  const receiver = await startReceiver();
  try {
    const opened = openStream(service.url + ENDPOINTS.streamEvents.path, auth);
    const properties = { sku: 'A-1042', price: 33.2, gift: false };
    const events = [
      { userId: 'u-17', event: 'product_viewed', timestamp: '2026-01-31T12:00:00Z', properties },
    ];
    const stream = await opened;
    await call('ingestEvents', { request: { events } });
    recorded.streamEvents = await stream.until('event');
    const watchQuery = { filter: 'user:u-17 price>20', after: '0' };
    const target = `${ENDPOINTS.watchEvents.path}?${new URLSearchParams(watchQuery)}`;
    const watch = await openStream(service.url + target, auth);
    recorded.watchEvents = { query: watchQuery, ...(await watch.until('tick')) };

    const user = {
      userId: 'u-17',
      name: 'Ada Example',
      phone: '+441632960017',
      timeZone: 'Europe/London',
      locale: 'en-GB',
      traits: { plan: 'pro' },
    };
    const { users } = await call('ingestUsers', { request: { users: [user] } });
    const { hashId } = (users as [{ hashId: string }])[0];
    const known = { hashId };
    await call('setConsent', { params: known, request: { optIn: ['email/news'], optOut: ['sms'] } });
    await call('getUser', { params: known });

    await call('createUserToken', { params: { hashId }, request: { ttlSeconds: 3600 } });

    const signingSecret = randomBytes(32).toString('hex');
    const delivered = { url: receiver.url, events: [...TAP_KINDS, 'decision.converted'], signingSecret };
    const { id: deliveredTo } = await call('createWebhook', { request: delivered });
    const { id } = await call('createWebhook', {
      request: { ...delivered, url: 'https://example.com/hooks' },
    });
    const params = { id: id as string };
    // Before its first attempts, which are not the same on each machine.
    await call('getWebhook', { params });

    const context = { channel: 'in-app', surface: 'home', locale: 'en-GB' };
    const guardrails = { excludeCategories: ['insurance'], maxDailyContacts: 3 };
    const { decisionId } = await call('decide', { request: { hashId, context, guardrails } });
    await call('peekMessages', { params: known, query: { surface: 'home' } });
    await call('listMessages', { query: { hashId, surface: 'home' } });
    for (const type of ['opened', 'actioned', 'clicked'])
      await call('messageOutcome', { params: { decisionId: decisionId as string }, request: { type } });
    await call('listDecisions', { query: { hashId, limit: '10' } });
    await call('exportRecords', { params: { type: 'events' }, query: { limit: '10' } });
    await call('getDecision', { params: { id: decisionId as string } });

    const trigger = { hashId, templateId: 'order_update', channel: 'push', variables: { orderId: '4711' } };
    const { now: present } = await call('getClock');
    const sendAt = new Date(Date.parse(present as string) + 3_600_000).toISOString();
    const { notificationId: later } = await call('trigger', { request: { ...trigger, sendAt } });
    await call('cancelNotification', { params: { id: later as string } });
    const { notificationId } = await call('trigger', { request: { ...trigger, priority: 'transactional' } });
    const notification = { id: notificationId as string };
    await call('notificationOutcome', { params: notification, request: { type: 'opened' } });
    const goal = {
      goalId: 'order',
      event: 'order_completed',
      within: '7d',
      value: { property: 'amount', to: 200 },
    };
    await call('putCatalog', {
      request: {
        catalog: { contents: [CONTENT, { ...CONTENT, contentId: 'welcome_tour' }], goals: [goal] },
        author: 'team',
      },
    });
    await call('rewardDecision', {
      params: { decisionId: decisionId as string },
      request: { value: 0.75, goalId: goal.goalId },
    });
    const received = await receiver.waitFor(5);
    for (const { headers, body } of received) {
      const request = JSON.parse(body.toString('utf8')) as Body;
      // A tap on a notification has the same kind as one on a message.
      if (request.notificationId === undefined)
        recorded[request.type as string] = { status: 204, headers, request };
    }
    await call('getNotification', { params: notification });
    await call('listNotifications', { query: { hashId } });

    await call('getUserTimeline', { params: known, query: { limit: '5' } });
    await call('listContents');
    await call('getContent', { params: { id: 'welcome_tour' } });
    await call('getModel');
    await call('getOverview');
    await call('listUsers');
    await call('listLatestMessages', { query: { surface: 'home' } });
    await call('getDecisionTrend');
    await call('getEventTrend');
    await call('getDeliveryTrend');
    await call('getEventPlan');
    const catalog = { contents: [{ ...CONTENT, paused: true }] };
    await call('validateCatalog', { request: { catalog: { contents: [{ ...CONTENT, format: 'poster' }] } } });
    await call('putCatalog', {
      request: { catalog, ifVersion: 1, author: 'team', note: 'Out of stock' },
    });
    await call('revertCatalog', { request: { to: 1, author: 'team' } });
    await call('getCatalog');
    await call('listCatalogVersions');
    await call('getCatalogVersion', { params: { version: '2' } });

    await call('listWebhooks');
    await call('updateWebhook', { params, request: { events: ['campaign.clicked'] } });
    await call('rotateWebhook', { params, request: { signingSecret: randomBytes(32).toString('hex') } });
    const to = { id: deliveredTo as string };
    const { deliveries } = await call('listDeliveries', { params: to });
    await call('listAllDeliveries', { query: { status: 'delivered' } });
    const [{ deliveryId }] = deliveries as [{ deliveryId: string }];
    await call('getDelivery', { params: { id: deliveryId } });
    await call('redeliverMany', {
      params: to,
      request: { since: '2026-01-01T00:00:00Z', status: 'all', rate: 1 },
    });
    await call('stopRedelivery', { params: to });
    await call('redeliver', { params: { ...to, deliveryId } });
    await call('deleteWebhook', { params });
    const wrong = await call('deleteEvents', { request: { event: 'test', dryRun: true } });
    await call('getEventDeletion', { params: { id: wrong.deletionId as string } });
    const ofRun = await call('deleteUsers', { request: { run: 'run_3f1c02aa', dryRun: true } });
    await call('getUserDeletion', { params: { id: ofRun.deletionId as string } });
    await call('deleteUser', { params: known });

    const { now } = await call('getClock');
    const tomorrow = new Date(Date.parse(now as string) + 86_400_000).toISOString();
    await call('getClock', { query: { until: tomorrow } });
    await call('setClock', { request: { now: tomorrow } });

    const bad = { ...events[0], timestamp: '2026-01-31 12:00' };
    await fail('/v1/events', auth, { events: [events[0], bad] });
    await fail('/v1/events', { ...auth, authorization: 'Bearer sk_test_unknown' }, { events });
    await fail('/v1/events', { ...auth, 'x-service-workspace': 'ws_other' }, { events });
    await fail('/v1/inform/trigger', auth, { ...trigger, templateId: 'unknown' });
    await fail('/v1/events', { ...auth, 'content-type': 'text/plain' }, { events });
    await fail('/v1/events', auth, { events, filling: ' '.repeat(8 * 1024 * 1024) });
    const keyed = { ...auth, 'idempotency-key': 'k-1' };
    await fetched('POST', '/v1/events', keyed, JSON.stringify({ events }));
    await fail('/v1/events', keyed, { events: [...events, ...events] });
    for (let tries = 0; !recorded.rate_limited && tries < 100; tries++)
      await fail('/v1/webhooks', auth, { url: 'https://example.com' });
    return recorded;
  } finally {
    await receiver.close();
  }
}

/** Opens a stream; `until` resolves with its beginning up to the first message of a type, however it was cut on its way. */
async function openStream(url: string, headers: Record<string, string>) {
  const stop = new AbortController();
  const answer = await fetch(url, { headers, signal: stop.signal });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let response = (await reader.read()).value ?? '';
  return {
    async until(type: string): Promise<Recorded> {
      const message = new RegExp(`^event: ${type}\\ndata: .*\\n\\n`, 'm');
      let found = message.exec(response);
      while (!found) {
        const { value, done } = await reader.read();
        if (done) throw new Error('the stream ended');
        response += value;
        found = message.exec(response);
      }
      stop.abort();
      const seen = response.slice(0, found.index + found[0].length);
      return { status: answer.status, headers: Object.fromEntries(answer.headers), response: seen };
    },
  };
}
