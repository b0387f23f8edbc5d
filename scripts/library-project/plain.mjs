/** The library entries in plain Node.js: an ES module, and the same by require. */
import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { createClient } from 'svc-cli/client';
import { verifyWebhook } from 'svc-cli/webhooks';

const required = createRequire(import.meta.url);
for (const [name, imported] of Object.entries({ createClient, verifyWebhook })) {
  const entry = name === 'createClient' ? 'client' : 'webhooks';
  if (typeof required(`svc-cli/${entry}`)[name] !== typeof imported)
    throw new Error(`require of ${entry} failed`);
}
const body = '{"type":"campaign.clicked"}';
const signature = createHmac('sha256', 'a secret').update(body).digest('hex');
const { type } = await verifyWebhook(body, { 'x-service-signature': signature }, 'a secret');
const { openapi } = required('svc-cli/openapi.json');
const { webhooks } = await createClient({
  baseUrl: process.env.SVC_BASE_URL,
  workspace: process.env.SVC_WORKSPACE,
  apiKey: process.env.SVC_API_KEY,
}).listWebhooks();
console.log(JSON.stringify({ type, openapi, webhooks }));
