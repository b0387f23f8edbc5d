import type { Client } from '../../client/client.ts';
import { allOf } from '../../client/pages.ts';
import { webhooksOf } from './view.ts';

/** Fetches all subscriptions, with the other members of the answer. */
export function allWebhooks(client: Client, signal: AbortSignal) {
  return allOf((after) => client.call('listWebhooks', { query: { after }, signal }), webhooksOf);
}
