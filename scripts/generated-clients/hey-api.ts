/** The five moves with a client of @hey-api/openapi-ts. The workspace is set once, by its security scheme. */
import {
  createWebhook,
  decide,
  ingestEvents,
  ingestUsers,
  listDeliveries,
  listMessages,
  messageOutcome,
  trigger,
} from './service';
import { client } from './service/client.gen';

const { SVC_BASE_URL: baseUrl = '', SVC_WORKSPACE: workspace = '', SVC_API_KEY: apiKey = '' } = process.env;
client.setConfig({ baseUrl, auth: ({ scheme }) => (scheme === 'bearer' ? apiKey : workspace) });

function data<T>(answer: { data?: T; error?: unknown }): T {
  if (answer.data === undefined) throw new Error(JSON.stringify(answer.error));
  return answer.data;
}

const timestamp = new Date().toISOString();
data(await ingestEvents({ body: { events: [{ userId: 'u', event: 'e', timestamp }] } }));
const { users } = data(await ingestUsers({ body: { users: [{ userId: 'u' }] } }));
const hashId = users[0]?.hashId ?? '';
const url = 'https://example.com/hooks';
const signingSecret = 'sixteen characters';
const { id } = data(await createWebhook({ body: { url, events: ['campaign.clicked'], signingSecret } }));
const { decisionId } = data(await decide({ body: { hashId } }));
const { messages } = data(await listMessages({ query: { hashId } }));
data(await messageOutcome({ path: { decisionId }, body: { type: 'clicked' } }));
const { status } = data(await trigger({ body: { hashId, templateId: 'welcome', channel: 'push' } }));
const { deliveries } = data(await listDeliveries({ path: { id } }));
console.log(
  JSON.stringify({ shown: messages[0]?.decisionId === decisionId, status, deliveries: deliveries.length }),
);
