/** What the types of the library must refuse: each line below a comment is an error. */
import { createClient } from 'svc-cli/client';
import { verifyWebhook } from 'svc-cli/webhooks';

// @ts-expect-error: the workspace is missing
const client = createClient({ baseUrl: 'https://example.com', apiKey: 'k' });
// @ts-expect-error: an event needs a timestamp
await client.ingestEvents({ events: [{ userId: 'u', event: 'e' }] });
// @ts-expect-error: requests are closed to unknown fields
await client.decide({ hashId: 'h', unknown: 1 });
// @ts-expect-error: a kind that does not exist
await client.createWebhook({ url: 'https://example.com', events: ['campaign.lost'], signingSecret: 's' });
// @ts-expect-error: the parameter of the path is missing
await client.getWebhook({});
// @ts-expect-error: a parsed body cannot be verified
await verifyWebhook({ type: 'campaign.clicked' }, new Headers(), 'secret');
