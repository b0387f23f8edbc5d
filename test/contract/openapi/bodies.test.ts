import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENDPOINTS, type EndpointName } from '../../../src/contract/endpoints.ts';
import { pathOf } from '../../../src/contract/path-of.ts';
import { parseFilter } from '../../../src/kit/event-filter/parse.ts';
import { catalogIssues } from '../../../src/service/catalog/parse.ts';
import { parseOutcomeFilter } from '../../../src/service/webhooks/rules/outcome-filter.ts';
import { wrongHeader } from '../../../src/service/webhooks/rules/static-headers.ts';
import { allowedBy, changed } from '../../support/openapi/arbitrary.ts';
import { type Json, OPERATIONS, Validator } from '../../support/openapi/document.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';

const validator = new Validator();

/** A service with a user, a message, a notification and a subscription. */
async function prepared({ testClock = false } = {}) {
  const service = await startTestService({ testClock });
  const post = async (path: string, body: unknown): Promise<Json> =>
    (await service.fetch(path, { body })).json() as Promise<Json>;
  const { users } = await post('/v1/users', { users: [{ userId: 'u' }] });
  const { hashId } = (users as [{ hashId: string }])[0];
  const { decisionId } = await post('/v1/decisioning/decide', { hashId });
  const trigger = { hashId, templateId: 'welcome', channel: 'push' };
  const { notificationId } = await post('/v1/inform/trigger', trigger);
  const { id } = await post('/v1/webhooks', {
    url: 'https://example.com/hook',
    events: ['campaign.opened'],
    signingSecret: 'sixteen characters',
  });
  return { service, hashId, params: { decisionId, notificationId, id, hashId } as Record<string, string> };
}

/** The path of an operation for the prepared service. */
function pathFor(name: EndpointName, { id, notificationId, ...params }: Record<string, string>): string {
  return pathOf(name, { ...params, id: (/Notification|notification/.test(name) ? notificationId : id)! });
}

async function send(service: TestService, name: EndpointName, path: string, body: unknown) {
  const answer = await service.fetch(path, { method: ENDPOINTS[name].method, body });
  return { status: answer.status, text: await answer.text() };
}

/** What exists, and what is valid as a catalog (docs/catalog.schema.json). */
const CATALOG = { contents: [] };
const GOAL = { goalId: 'order', event: 'order_completed', within: '7d' };
const HEADER = { 'x-gateway': 'key' };
let hours = 0;
const EXISTING: { readonly [N in EndpointName]?: (hashId: string, value: Json) => object } = {
  trigger: (hashId, { sendAt }) => ({
    hashId,
    templateId: 'welcome',
    ...(sendAt === undefined ? {} : { sendAt: new Date(Date.now() + 60_000).toISOString() }),
  }),
  putCatalog: () => ({ catalog: CATALOG, ifVersion: 1 }),
  validateCatalog: () => ({ catalog: CATALOG }),
  revertCatalog: () => ({ to: 1 }),
  rewardDecision: (_, { goalId }) => (goalId === undefined ? {} : { goalId: GOAL.goalId }),
  createUserToken: (_, { userId }) => (userId === undefined ? {} : { userId: 'u' }),
  createWebhook: (_, { headers }) => (headers === undefined ? {} : { headers: HEADER }),
  updateWebhook: (_, { headers }) => (headers === undefined ? {} : { headers: HEADER }),
  deleteEvents: (_, { filter }) => ({ dryRun: true, ...(filter === undefined ? {} : { filter: 'event:e' }) }),
  // A test clock never goes back: each time is later than the one before.
  setClock: () => ({ now: new Date(Date.now() + ++hours * 3_600_000).toISOString() }),
};

/**
 * What a catalog may hold is not in the API description, but in docs/catalog.schema.json; and no text anywhere may have
 * U+0000 or an unpaired surrogate.
 */
function catalogErrors(name: EndpointName, { catalog }: Json): string {
  if (name !== 'putCatalog' && name !== 'validateCatalog') return '';
  if (/\\u(0000|d[89a-f])/.test(JSON.stringify(catalog))) return 'text';
  return name === 'validateCatalog' ? '' : (catalogIssues(catalog)[0]?.path ?? '');
}

/** Which goals there are is the catalog's to say. */
const goalErrors = (name: EndpointName, { goalId = GOAL.goalId }: Json): string =>
  name === 'rewardDecision' && goalId !== GOAL.goalId ? 'goalId' : '';

/** Whose a token is, the hashId of its path says. */
const tokenErrors = (name: EndpointName, { userId = 'u' }: Json): string =>
  name === 'createUserToken' && userId !== 'u' ? 'userId' : '';

/** A filter of a subscription has a language of its own. */
const filterErrors = (name: EndpointName, { filter }: Json): string =>
  /Webhook$/.test(name) && typeof filter === 'string' && !parseOutcomeFilter(filter).ok ? 'filter' : '';

/** Which headers a subscription may have is not in the API description either. */
const headerErrors = (name: EndpointName, { headers }: Json): string =>
  /Webhook$/.test(name) && headers && wrongHeader(headers as Record<string, string>) ? 'headers' : '';

/** Deletions select something, and their filter has a language of its own. */
function deletionErrors(name: EndpointName, { dryRun: _, ...selection }: Json): string {
  if (name !== 'deleteEvents') return '';
  const { since, until, filter } = selection as Record<string, string | undefined>;
  if (Object.keys(selection).length === 0) return 'nothing';
  if (since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until)) return 'until';
  if (filter === undefined) return '';
  const parsed = parseFilter(filter);
  return parsed.ok && parsed.terms.length > 0 ? '' : 'filter';
}

const WITH_BODY = [...OPERATIONS.values()].filter(({ requestBody }) => requestBody);

describe('request bodies', () => {
  it('covers the operations with a body', () => {
    expect(WITH_BODY.length).toBeGreaterThanOrEqual(9);
  });

  it.each(WITH_BODY.map((operation) => [operation.operationId, operation] as const))(
    '%s accepts exactly what its schema allows',
    async (operationId, { requestBody }) => {
      const name = operationId as EndpointName;
      const { schema } = requestBody!.content['application/json']!;
      const { service, hashId, params } = await prepared({ testClock: name === 'setClock' });
      const path = pathFor(name, params);
      // What exists is not the schema's to say.
      const existing = EXISTING[name];
      if (name === 'revertCatalog' || name === 'putCatalog')
        await send(service, 'putCatalog', '/v1/catalog', { catalog: CATALOG });
      if (name === 'rewardDecision')
        await send(service, 'putCatalog', '/v1/catalog', { catalog: { ...CATALOG, goals: [GOAL] } });
      const allowed = allowedBy(schema).map((value) => ({
        ...(value as Json),
        ...existing?.(hashId, value as Json),
      }));
      let accepted = 0;
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(fc.oneof(allowed, changed(allowed)), async (body) => {
          const errors =
            validator.errors(schema, body) ||
            catalogErrors(name, body as Json) ||
            goalErrors(name, body as Json) ||
            tokenErrors(name, body as Json) ||
            filterErrors(name, body as Json) ||
            deletionErrors(name, body as Json) ||
            headerErrors(name, body as Json);
          const { status, text } = await send(service, name, path, body);
          if (status === 404 || status === 409) return;
          if (errors === '') accepted++;
          else refused++;
          expect(status, `${JSON.stringify(body)}\n${errors}\n${text}`).toBe(
            errors === '' ? ENDPOINTS[name].success : 400,
          );
        }),
        { numRuns: 80 },
      );
      expect(accepted).toBeGreaterThan(20);
      expect(refused).toBeGreaterThan(5);
    },
  );

  it('counts characters as JSON Schema does', async () => {
    const { service } = await prepared();
    const user = (userId: string) => ({ users: [{ userId }] });
    const statusOf = async (body: unknown) => (await send(service, 'ingestUsers', '/v1/users', body)).status;
    expect(await statusOf(user('😀'.repeat(256)))).toBe(200);
    expect(await statusOf(user('😀'.repeat(257)))).toBe(400);
    expect(await statusOf({ users: [{ userId: 'u', traits: { a: 'x'.repeat(65_536 - 8) } }] })).toBe(200);
    expect(await statusOf({ users: [{ userId: 'u', traits: { a: 'x'.repeat(65_536 - 7) } }] })).toBe(400);
  });
});
