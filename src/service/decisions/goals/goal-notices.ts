import { nearest } from '../../../kit/nearest.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { Goal } from '../../catalog/goal.ts';
import type { CatalogIssue } from '../../catalog/issue.ts';
import { eventHeads } from '../../events/store/event-heads.ts';
import { events as log } from '../../events/store/events.ts';
import type { Tx } from '../../platform/store/store.ts';
import { readEvent } from './rules/attribution.ts';

/** The latest events of a workspace that are looked at, and of them those of the goals. */
const LATEST = 20_000;
const READ = 2000;

const count = (n: number) => n.toLocaleString('en');

/**
 * What the events of a workspace say of the goals of a catalog: names that were not seen, filters that none of them pass,
 * and properties that are no numbers. All of it may be right, as events may be yet to come.
 */
export async function goalNotices(tx: Tx, workspaceId: string, { goals }: Catalog): Promise<CatalogIssue[]> {
  if (goals.length === 0) return [];
  const { number: newest } = await eventHeads.get(tx, workspaceId);
  const after = Math.max(0, newest - LATEST);
  const seen = await log.namesAfter(tx, workspaceId, after);
  const total = [...seen.values()].reduce((sum, each) => sum + each, 0);
  if (total === 0) return [];
  const latest = `of the latest ${count(total)} events`;
  const unseen = (event: string, path: string): CatalogIssue[] => {
    if (seen.has(event)) return [];
    const meant = nearest(
      [...seen.keys()],
      (name) => [event.toLowerCase(), name.toLowerCase()],
      (name) => Math.max(2, Math.floor(name.length / 3)),
    );
    const hint = meant === undefined ? '' : `; the nearest seen is ${meant}`;
    return [{ path, message: `none ${latest} is named ${event}${hint}` }];
  };
  const names = [...new Set(goals.map(({ event }) => event))].filter((event) => seen.has(event));
  const read =
    names.length === 0 ? [] : await log.namedWithProperties(tx, workspaceId, names, after, newest, READ);
  return goals.flatMap((goal, i) => [
    ...unseen(goal.event, `goals[${i}].event`),
    ...(goal.negative ? unseen(goal.negative.event, `goals[${i}].negative.event`) : []),
    ...unread(
      goal,
      `goals[${i}]`,
      read.filter(({ event, leftOut }) => event === goal.event && leftOut === 0),
    ),
  ]);
}

/** What events with the name of a goal do not have of what it reads. */
function unread(
  goal: Goal,
  path: string,
  events: Awaited<ReturnType<typeof log.namedWithProperties>>,
): CatalogIssue[] {
  if (events.length === 0) return [];
  const of = `${count(events.length)} latest events ${goal.event}`;
  const kinds = events.map((event) => readEvent(goal, event)?.kind);
  if (kinds.every((kind) => kind === undefined))
    return [{ path: `${path}.where`, message: `matches none of the ${of}` }];
  const unreadable = kinds.filter((kind) => kind === 'unreadable').length;
  return unreadable === 0 || !goal.value
    ? []
    : [
        {
          path: `${path}.value.property`,
          message: `${goal.value.property} is missing or not a number in ${count(unreadable)} of the ${of}: these do not count`,
        },
      ];
}
