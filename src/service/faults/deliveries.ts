import { DEFAULT_FAULT_DELAY_MS } from '../../contract/limits.ts';
import type { Clock } from '../../kit/clock.ts';
import type { post } from '../platform/egress/post.ts';
import type { Log } from '../platform/log.ts';
import type { Note, Plan } from './plan.ts';
import type { DeliveryRule } from './schema.ts';

export type Post = typeof post;

/** Injects the faults of a plan into deliveries. */
export function faultyDeliveries(
  send: Post,
  plan: Plan<DeliveryRule>,
  clock: Clock,
  log: Log,
  note: Note,
): Post {
  /** Deliveries delayed until after the next one to the same URL; each function releases one. */
  const releases = new Map<string, () => void>();

  return async (url, body, headers, options) => {
    const deliver = (signed = headers) => send(url, body, signed, options);
    const { type, deliveryId } = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, string>;
    const rule = plan.next((one) => one.type === undefined || one.type === type);
    const release = releases.get(url);
    if (release && rule?.fault !== 'out-of-order') {
      releases.delete(url);
      return deliver().finally(release);
    }
    if (!rule) return deliver();
    log('info', 'fault injected into a delivery', { deliveryId, fault: rule.fault });
    const { fault, delayMs = DEFAULT_FAULT_DELAY_MS } = rule;
    note({
      place: 'deliveries',
      fault,
      of: type!,
      ...(deliveryId && { deliveryId }),
      ...((fault === 'late' || fault === 'out-of-order') && { delayMs }),
    });
    switch (rule.fault) {
      case 'double': {
        const { status } = await deliver();
        const first =
          status === null ? 'the first was not answered' : `the first was answered HTTP ${status}`;
        return noted(await deliver(), `sent twice by a fault: ${first}`);
      }
      case 'late':
        await clock.sleep(delayMs, options.signal).catch(() => undefined);
        return noted(await deliver(), `sent ${delayMs} ms late by a fault`);
      case 'out-of-order': {
        const overtaken = new Promise<void>((resolve) => releases.set(url, resolve));
        const settled = new AbortController();
        const stop = AbortSignal.any([settled.signal, ...(options.signal ? [options.signal] : [])]);
        await Promise.race([overtaken, clock.sleep(delayMs, stop).catch(() => undefined)]);
        settled.abort();
        releases.delete(url);
        return noted(await deliver(), 'held back by a fault');
      }
      case 'wrong-signature':
        return noted(await deliver(forged(headers)), 'sent with a wrong signature by a fault');
    }
  };
}

type Result = Awaited<ReturnType<Post>>;

/** Adds to the result of an attempt what a fault did to it, which the attempt alone does not show. */
const noted = ({ error, ...result }: Result, note: string): Result => ({
  ...result,
  error: error === null ? note : `${error} (${note})`,
});

/** Replaces the signatures by well-formed ones that match no secret. */
function forged(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) =>
      /signature$/i.test(name) ? [name, value.replace(/[0-9a-f]/gi, swapped)] : [name, value],
    ),
  );
}

/** Replaces a digit by another one, so that hex stays hex and base64 stays base64. */
function swapped(digit: string): string {
  return digit === '0' ? '1' : '0';
}
