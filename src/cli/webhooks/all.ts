import type { Client } from '../../client/client.ts';
import { allOf } from '../pages.ts';
import { webhooksOf } from './shown.ts';

/** All subscriptions, and what else the answer says. */
export function allWebhooks(client: Client, signal: AbortSignal) {
  return allOf((after) => client.call('listWebhooks', { query: { after }, signal }), webhooksOf);
}
