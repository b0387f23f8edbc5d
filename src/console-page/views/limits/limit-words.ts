import type { ConsoleLimit } from '../../../contract/console.ts';
import { GROUP_LIMITS } from '../../../contract/limits.ts';

/** Shares of a limit from which it is shown as nearly used up. */
export const NEARLY = 0.8;

/** How much of a limit is used; undefined where there is none or it is not known. */
export const shareOf = ({ limit, used }: ConsoleLimit): number | undefined =>
  limit === null || used === null ? undefined : used / limit;

/** What becomes of requests beyond a limit, for those who send them. */
export const WHEN_REACHED: Readonly<Record<ConsoleLimit['group'], string>> = {
  ingest: 'When it is reached, events and users wait where they come from: svc imports pace themselves.',
  inform: 'When it is reached, a trigger is refused, and nothing is sent until it is tried again.',
  decisions: 'When it is reached, an app gets no decision, and shows what it shows without one.',
  reads: 'When it is reached, lists are refused; events, decisions and deliveries go on.',
  webhooks: 'When it is reached, changes of subscriptions and the catalog are refused; deliveries go on.',
};

/** A limit to set: twice the present one, and not over the ceiling of the group unless that is; without one, the default. */
export function nextLimit(group: ConsoleLimit['group'], limit: number | null): number {
  const { default: byDefault, ceiling } = GROUP_LIMITS[group];
  if (limit === null) return byDefault;
  return limit < ceiling ? Math.min(limit * 2, ceiling) : limit * 2;
}
