import type { Client } from '../../client/client.ts';
import { allOf } from '../../client/pages.ts';
import { webhooksOf } from './view.ts';

/** All subscriptions, and what else the answer says. */
export function allWebhooks(client: Client, signal: AbortSignal) {
  return allOf((after) => client.call('listWebhooks', { query: { after }, signal }), webhooksOf);
}
