import type { ConsoleLimit } from '../../../contract/console.ts';
import { GROUP_LIMITS } from '../../../contract/limits.ts';
import { count } from '../../parts/numbers.ts';

/** Shares of a limit from which it is shown as nearly used up. */
export const NEARLY = 0.8;

/** How much of a limit is used; undefined where there is none or it is not known. */
export const shareOf = ({ limit, used }: ConsoleLimit): number | undefined =>
  limit === null || used === null ? undefined : used / limit;

/** What becomes of requests beyond a limit, for those who send them. */
export const WHEN_REACHED: Readonly<Record<ConsoleLimit['group'], string>> = {
  ingest: 'When it is reached, events and users wait where they come from: svc imports pace themselves.',
  inform: 'When it is reached, a trigger is refused, and nothing is sent until it is tried again.',
  decisions: 'When it is reached, an app gets no decision.',
  reads: 'When it is reached, lists are refused; events, decisions and deliveries go on.',
  webhooks: 'When it is reached, changes of subscriptions and the catalog are refused; deliveries go on.',
};

/** Requests in the busiest minute of the last hour; those in the window are of all processes. */
export const busiest = ({ byMinute, used }: ConsoleLimit): number => Math.max(used ?? 0, ...(byMinute ?? []));

/** A number with two digits and zeros, not below another: 160 of 151.25. */
function roundedUp(n: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(n)) - 1);
  return Math.ceil(n / unit) * unit;
}

/**
 * A limit to set, and why that one: twice the present one, and not over the ceiling of the group unless that is; more where a
 * minute had as many requests, and without a limit, the default.
 */
export function nextLimit(of: ConsoleLimit): readonly [next: number, basis: string] {
  const { group, limit } = of;
  const { default: byDefault, ceiling } = GROUP_LIMITS[group];
  if (limit === null) return [byDefault, 'the default'];
  const most = busiest(of);
  const next = limit < ceiling ? Math.min(limit * 2, ceiling) : limit * 2;
  if (most >= next)
    return [roundedUp(most * 1.25), `a quarter above the busiest minute (${count(most)}), rounded up`];
  return [next, next === limit * 2 ? 'twice the present limit' : 'the ceiling of the group'];
}
