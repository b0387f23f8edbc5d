/** The server of a small shop: it holds the server key, and gives its page tokens. `svc demo --app` runs it. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { text as bodyOf } from 'node:stream/consumers';

const { SVC_BASE_URL: baseUrl, SVC_WORKSPACE: workspace, SVC_API_KEY: apiKey, SHOP_KEY: key, SHOP_SDK: sdk } = process.env;
const TASTES = { kettle: 0.1, lamp: 0.6, mug: 0.2 }; // How often the visitors who are played tap each offer.
const contents = Object.keys(TASTES).map((contentId) => ({
  ...{ contentId, category: 'offers', format: 'card', channels: ['in-app'], surfaces: ['shop'] },
  ...{ title: `The ${contentId} of the week`, body: 'Ten percent off today.' },
}));
const secret = randomBytes(32).toString('hex');
const pages = new Set();
const say = (kind, more) => pages.forEach((page) => page.write(`data: ${JSON.stringify({ kind, ...more })}\n\n`));
async function call(method, path, body, auth = { authorization: `Bearer ${apiKey}` }) {
  const headers = { ...auth, 'x-service-workspace': workspace, 'content-type': 'application/json' };
  const answer = await fetch(baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}
const identify = async (ids) => (await call('POST', '/v1/users', { users: ids.map((userId) => ({ userId })) })).users;
const newUsers = (count) => identify(Array.from({ length: count }, () => `visitor-${randomBytes(4).toString('hex')}`));
const decide = (hashId) => call('POST', '/v1/decisioning/decide', { hashId, context: { channel: 'in-app', surface: 'shop' } });
const tokenOf = ({ userId, hashId }) => call('POST', `/v1/users/${hashId}/tokens`, { userId });
async function playVisits(count) {
  for (const user of await newUsers(count)) {
    const { decisionId, action } = await decide(user.hashId);
    const asApp = { authorization: `Bearer ${key}`, 'x-service-user-token': (await tokenOf(user)).token };
    await call('GET', `/v1/messages?hashId=${user.hashId}&surface=shop`, undefined, asApp);
    const tapped = Math.random() < TASTES[action.contentId];
    await call('POST', `/v1/messages/${decisionId}/outcomes`, { type: tapped ? 'clicked' : 'dismissed' }, asApp);
    say('visit', { contentId: action.contentId, tapped });
  }
}
/** Decides for the visitor whose event arrived, as a backend does that reads the stream. */
async function onEvent({ userId, event, origin, properties }) {
  if (origin !== 'client') return;
  say('event', { text: `${event} ${JSON.stringify(properties)}, origin ${origin}` });
  const { decisionId, action } = await decide((await identify([userId]))[0].hashId);
  const { candidates } = await call('GET', `/v1/decisions/${decisionId}`);
  const chances = candidates.map(({ contentId, propensity }) => `${contentId} ${(100 * propensity).toFixed(0)} %`).join(', ');
  say('decision', { contentId: action.contentId, text: `${action.contentId} (${chances}). ${action.reason}` });
}
async function followEvents() {
  const headers = { authorization: `Bearer ${apiKey}`, 'x-service-workspace': workspace };
  const stream = (await fetch(`${baseUrl}/v1/events/stream`, { headers })).body.pipeThrough(new TextDecoderStream());
  let text = '';
  for await (const chunk of stream) {
    const lines = (text + chunk).split('\n');
    text = lines.pop();
    for (const line of lines.filter((line) => line.startsWith('data: {')))
      await onEvent(JSON.parse(line.slice(6))).catch((error) => say('error', { text: error.message }));
  }
}
let visitor;
const routes = {
  'POST /visitor': async () => ([visitor] = await newUsers(1)) && { baseUrl, workspace, key },
  'POST /token': async () => tokenOf(visitor),
  'POST /visits': async () => playVisits(100),
  'POST /hook': async (body, { headers }) => {
    const [sent, mac] = [Buffer.from(headers['x-service-signature'] ?? '', 'hex'), createHmac('sha256', secret).update(body).digest()];
    if (sent.length !== mac.length || !timingSafeEqual(sent, mac)) throw new Error('The signature does not match.');
    const { type, contentId, hashId } = JSON.parse(body);
    if (hashId === visitor?.hashId) say('webhook', { text: `${type} of ${contentId}, signature verified` });
  },
};
const server = createServer(async (request, answer) => {
  const route = routes[`${request.method} ${request.url}`];
  const file = { '/': 'index.html', '/shop.js': 'shop.js', '/app.js': sdk }[request.url];
  try {
    if (request.url === '/loop') return pages.add(answer.writeHead(200, { 'content-type': 'text/event-stream' }));
    if (!route && !file) return answer.writeHead(404).end();
    answer.setHeader('content-type', file?.endsWith('.html') ? 'text/html' : 'text/javascript');
    if (file) return answer.end(readFileSync(resolve(import.meta.dirname, file)));
    answer.end(JSON.stringify((await route(await bodyOf(request), request)) ?? {}));
  } catch (error) {
    answer.writeHead(500).end(error.message);
  }
});
server.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  await call('PUT', '/v1/catalog', { catalog: { contents } });
  await call('POST', '/v1/webhooks', { url: `${url}/hook`, events: ['campaign.clicked'], signingSecret: secret });
  followEvents();
  console.log(url);
});
