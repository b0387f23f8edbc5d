/** The five moves with openapi-fetch and the types of openapi-typescript. The workspace is set once. */
import createClient from 'openapi-fetch';
import type { paths } from './schema';

const { SVC_BASE_URL: baseUrl = '', SVC_WORKSPACE: workspace = '', SVC_API_KEY: apiKey = '' } = process.env;
const headers = { authorization: `Bearer ${apiKey}`, 'x-service-workspace': workspace };
const client = createClient<paths>({ baseUrl, headers });

function data<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const timestamp = new Date().toISOString();
data(await client.POST('/v1/events', { body: { events: [{ userId: 'u', event: 'e', timestamp }] } }));
const { users } = data(await client.POST('/v1/users', { body: { users: [{ userId: 'u' }] } }));
const hashId = users[0]?.hashId ?? '';
const url = 'https://example.com/hooks';
const signingSecret = 'sixteen characters';
const { id } = data(
  await client.POST('/v1/webhooks', { body: { url, events: ['campaign.clicked'], signingSecret } }),
);
const { decisionId } = data(await client.POST('/v1/decisioning/decide', { body: { hashId } }));
const { messages } = data(await client.GET('/v1/messages', { params: { query: { hashId } } }));
const path = { decisionId };
data(
  await client.POST('/v1/messages/{decisionId}/outcomes', { params: { path }, body: { type: 'clicked' } }),
);
const body = { hashId, templateId: 'welcome', channel: 'push' } as const;
const { status } = data(await client.POST('/v1/inform/trigger', { body }));
const { deliveries } = data(await client.GET('/v1/webhooks/{id}/deliveries', { params: { path: { id } } }));
console.log(
  JSON.stringify({ shown: messages[0]?.decisionId === decisionId, status, deliveries: deliveries.length }),
);
