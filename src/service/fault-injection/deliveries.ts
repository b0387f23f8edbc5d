import type { Clock } from '../../kit/clock.ts';
import type { post } from '../egress/post.ts';
import type { Log } from '../log.ts';
import type { Plan } from './plan.ts';
import type { DeliveryRule } from './schema.ts';

export type Post = typeof post;

/** Puts the faults of a plan between the deliverer and its receivers. */
export function faultyDeliveries(send: Post, plan: Plan<DeliveryRule>, clock: Clock, log: Log): Post {
  /** Deliveries that let the next one to their URL pass: called once it is through. */
  const passed = new Map<string, () => void>();

  return async (url, body, headers, options) => {
    const deliver = (signed = headers) => send(url, body, signed, options);
    const { type, deliveryId } = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, string>;
    const rule = plan.next((one) => one.type === undefined || one.type === type);
    const waiting = passed.get(url);
    if (waiting && rule?.fault !== 'out-of-order') {
      passed.delete(url);
      return deliver().finally(waiting);
    }
    if (!rule) return deliver();
    log('info', 'rehearsal: a delivery meets a fault', { deliveryId, fault: rule.fault });
    const { delayMs = 2000 } = rule;
    switch (rule.fault) {
      case 'double':
        await deliver();
        return deliver();
      case 'late':
        await clock.sleep(delayMs, options.signal).catch(() => undefined);
        return deliver();
      case 'out-of-order': {
        const overtaken = new Promise<void>((resolve) => passed.set(url, resolve));
        const patience = new AbortController();
        const enough = AbortSignal.any([patience.signal, ...(options.signal ? [options.signal] : [])]);
        await Promise.race([overtaken, clock.sleep(delayMs, enough).catch(() => undefined)]);
        patience.abort();
        passed.delete(url);
        return deliver();
      }
      case 'wrong-signature':
        return deliver(forged(headers));
    }
  };
}

/** The headers with signatures of the right form that fit no secret. */
function forged(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) =>
      /signature$/i.test(name) ? [name, value.replace(/[0-9a-f]/gi, swapped)] : [name, value],
    ),
  );
}

/** Another digit for each, so that hex stays hex and base64 stays base64. */
function swapped(digit: string): string {
  return digit === '0' ? '1' : '0';
}
