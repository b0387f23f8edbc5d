import { sanitizeLine } from '../../cli/terminal/sanitize.ts';
import { span } from '../../cli/terminal/time.ts';
import type { Client } from '../../client/client.ts';
import type { Clock } from '../../kit/clock.ts';
import { objectOf } from '../../kit/object-of.ts';

/** Deliveries of a subscription that a service sends again, as far as it says. */
export interface RedeliveryView {
  readonly since: string;
  readonly matched: number;
  readonly queued: number;
  readonly startedAt: number;
  readonly ended: boolean;
}

/** Reads a redelivery of any shape; undefined if it is none. */
export function redeliveryOf(body: unknown): RedeliveryView | undefined {
  const { since, matched, queued, startedAt, endedAt } = objectOf(body);
  if (typeof since !== 'string' || typeof matched !== 'number' || typeof queued !== 'number')
    return undefined;
  return { since, matched, queued, startedAt: Date.parse(String(startedAt)), ended: endedAt !== null };
}

/** Deliveries are counted up to here. */
const MAX_COUNTED = 100_000;

/** A count of deliveries in words. */
export function countText(count: number, status: string): string {
  const number = count.toLocaleString('en-US');
  const words = `${status === 'all' ? '' : `${status} `}${count === 1 ? 'delivery' : 'deliveries'}`;
  return `${number}${count >= MAX_COUNTED ? ' or more' : ''} ${words}`;
}

/** How far it is, in words: with the time that is left at the pace so far. `now` is in ms. */
export function progressText({ matched, queued, startedAt, ended }: RedeliveryView, now: number): string {
  const of = `${queued.toLocaleString('en-US')} of ${countText(matched, 'all')} queued again`;
  const left = ((now - startedAt) * (matched - queued)) / queued;
  return ended || queued === 0 || !(left >= 1000) ? of : `${of}, about ${span(left)} left`;
}

/** How far the redelivery of a subscription is, in words, for its details. */
export function redeliveryText(body: unknown): string | undefined {
  const view = redeliveryOf(body);
  if (!view) return undefined;
  const { queued, matched, since, ended } = view;
  const of = `${queued.toLocaleString('en-US')} of ${matched.toLocaleString('en-US')} since ${sanitizeLine(since)}`;
  return ended ? `${of}, ended` : of;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;

/** Looks at a redelivery until it has ended, or is no longer there. Rejects if `signal` fires. */
export async function followRedelivery(
  { client, clock, signal }: { readonly client: Client; readonly clock: Clock; readonly signal: AbortSignal },
  id: string,
  onProgress: (view: RedeliveryView) => void,
): Promise<unknown> {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const { redelivery } = objectOf((await client.call('getWebhook', { params: { id }, signal })).body);
    const view = redeliveryOf(redelivery);
    if (!view) return redelivery;
    onProgress(view);
    if (view.ended) return redelivery;
    await clock.sleep(pause, signal);
  }
}
