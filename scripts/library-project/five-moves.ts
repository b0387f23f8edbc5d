/** The five moves with the two library entries, as a program of an integrator: compiled in strict mode, then run. */
import { createServer } from 'node:http';
import { ApiError, type Client, createClient, type DecideAnswer, TransportError } from 'svc-cli/client';
import { type DeliveryBody, memoryReplayWindow, verifyWebhook, WebhookError } from 'svc-cli/webhooks';

const { SVC_BASE_URL: baseUrl = '', SVC_WORKSPACE: workspace = '', SVC_API_KEY: apiKey = '' } = process.env;
const client: Client = createClient({ baseUrl, workspace, apiKey, idempotent: true });
const secret = 'a signing secret of the project';

const deliveries: DeliveryBody[] = [];
const replays = memoryReplayWindow();
let arrived = () => {};
const delivered = new Promise<void>((resolve) => {
  arrived = resolve;
});
const server = createServer(async (request, response) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  try {
    deliveries.push(await verifyWebhook(Buffer.concat(chunks), request.headers, secret, { replays }));
    response.writeHead(204).end();
    arrived();
  } catch (error) {
    response.writeHead(error instanceof WebhookError ? error.status : 500).end();
  }
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('no port');

const timestamp = new Date().toISOString();
await client.ingestEvents({
  events: [{ userId: 'u', event: 'viewed', timestamp, properties: { price: 33.2 } }],
});
const { users } = await client.ingestUsers({ users: [{ userId: 'u', locale: 'en-GB' }] });
const hashId = users[0]?.hashId ?? '';
const { id } = await client.createWebhook({
  url: `http://127.0.0.1:${address.port}/hooks`,
  events: ['campaign.clicked'],
  signingSecret: secret,
});
const decision: DecideAnswer = await client.decide({
  hashId,
  context: { channel: 'in-app', surface: 'home' },
});
const { messages } = await client.listMessages({ hashId });
if (messages[0]?.decisionId !== decision.decisionId) throw new Error('the message did not arrive');
await client.messageOutcome({ decisionId: decision.decisionId, type: 'clicked' });
const { notificationId } = await client.trigger({ hashId, templateId: 'welcome', channel: 'push' });
const { status } = await client.getNotification({ id: notificationId });
await delivered;
await client.deleteWebhook({ id });

const refused: unknown = await client.getWebhook({ id }).catch((error: unknown) => error);
if (!(refused instanceof ApiError) || refused.status !== 404) throw new Error('the webhook was not deleted');
await new Promise((resolve) => {
  server.close(resolve);
  server.closeAllConnections();
});
const nowhere = createClient({
  baseUrl: `http://127.0.0.1:${address.port}`,
  workspace,
  apiKey,
  maxRetries: 0,
});
const lost: unknown = await nowhere.listWebhooks().catch((error: unknown) => error);
if (!(lost instanceof TransportError) || lost.sent)
  throw new Error('an unreachable service was not reported');
console.log(
  JSON.stringify({
    type: deliveries[0]?.type,
    decision: deliveries[0]?.decisionId === decision.decisionId,
    status,
  }),
);
