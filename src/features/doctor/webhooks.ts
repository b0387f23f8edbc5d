import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import { webhookOf, webhooksOf } from '../webhooks/view.ts';
import { type Check, warn } from './check.ts';
import type { Place } from './place.ts';

/** Warns of subscriptions that are disabled: what occurs is kept for them, and not sent. No row if all are active. */
export function checkWebhooks(body: unknown, { toWebhook }: Pick<Place, 'toWebhook'>): Check[] {
  const all = webhooksOf(body).map(webhookOf);
  const disabled = all.filter(({ status }) => status === 'disabled');
  const [first] = disabled;
  if (first === undefined) return [];
  const reason = first.disabledReason === undefined ? '' : ` (${sanitizeLine(first.disabledReason)})`;
  const count = `${disabled.length} of ${all.length} ${all.length === 1 ? 'subscription is' : 'subscriptions are'} disabled`;
  const id = first.id ?? '?';
  return [warn('webhooks', `${count}: ${sanitizeLine(id)}${reason}`, `see what it missed: ${toWebhook(id)}`)];
}
