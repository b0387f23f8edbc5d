import { judge, type Violation } from '../../contract/event-plan.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { CatalogIssue } from '../catalog/issue.ts';
import type { Tx } from '../platform/store/store.ts';
import { events as log } from './store/events.ts';

/** The latest events of a workspace that are judged. */
const JUDGED = 2000;
/** Notices, at most. */
const LISTED = 20;

const count = (n: number) => n.toLocaleString('en');

/** Something that several of the latest events of one name do against a plan. */
interface Counted {
  readonly event: string;
  readonly violation: Violation;
  count: number;
}

/**
 * What the latest events of a workspace do against the plan of a catalog, the most frequent first. It may be meant, as a
 * plan may be ahead of the apps that send.
 */
export async function planNotices(
  tx: Tx,
  workspaceId: string,
  { eventPlan }: Pick<Catalog, 'eventPlan'>,
): Promise<CatalogIssue[]> {
  if (!eventPlan) return [];
  const latest = (await log.latest(tx, workspaceId, JUDGED)).filter(({ leftOut }) => leftOut === 0);
  const totals = new Map<string, number>();
  const counts = new Map<string, Counted>();
  for (const { event, properties } of latest) {
    totals.set(event, (totals.get(event) ?? 0) + 1);
    for (const violation of judge(eventPlan, event, properties === null ? {} : JSON.parse(properties))) {
      const key = JSON.stringify([event, violation.property, violation.rule]);
      const known = counts.get(key);
      if (known) known.count++;
      else counts.set(key, { event, violation, count: 1 });
    }
  }
  const indexes = new Map([...eventPlan.events.keys()].map((event, i) => [event, i]));
  const all = [...counts.values()].sort((a, b) => b.count - a.count);
  const notices = all.slice(0, LISTED).map(({ event, violation, count: times }) => {
    const refused = violation.action === 'refuse' ? '; such events will be refused' : '';
    const path = pathOf(indexes.get(event), violation);
    return {
      path,
      message: `${brokenBy(event, violation, times, totals.get(event)!, latest.length)}${refused}`,
    };
  });
  return all.length <= LISTED
    ? notices
    : [
        ...notices,
        { path: 'events.plan', message: `is broken in ${count(all.length - LISTED)} other ways as well` },
      ];
}

function brokenBy(
  event: string,
  { property, rule, message }: Violation,
  times: number,
  named: number,
  judged: number,
): string {
  if (rule === 'unknown-event')
    return `${count(times)} of the latest ${count(judged)} events ${times === 1 ? 'is' : 'are'} named ${event}, which is not in the plan`;
  const of = `in ${count(times)} of the ${count(named)} latest events ${event}`;
  if (rule === 'missing') return `${property} is missing ${of}`;
  if (rule === 'unknown-property') return `${property} is not in the plan, but ${of}`;
  return `${message}, which it is not ${of}`;
}

/** The place in the catalog of what is broken. `index`: of the event in the plan, if it is there. */
function pathOf(index: number | undefined, { property, rule }: Violation): string {
  if (index === undefined) return 'events.unknownEvents';
  const at = `events.plan[${index}]`;
  if (rule === 'missing') return `${at}.required`;
  if (rule === 'unknown-property') return `${at}.additionalProperties`;
  return `${at}.properties.${property}`;
}
