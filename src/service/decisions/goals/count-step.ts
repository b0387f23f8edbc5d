import type { Catalog } from '../../catalog/catalog.ts';
import type { Goal } from '../../catalog/goal.ts';
import { eventHeads } from '../../events/store/event-heads.ts';
import { events as log } from '../../events/store/events.ts';
import { hashId as hashOf } from '../../platform/crypto/hash-id.ts';
import { due } from '../../platform/store/due.ts';
import { erasingUsers } from '../../platform/store/erasing-users.ts';
import type { Tx } from '../../platform/store/store.ts';
import { workspaces } from '../../platform/store/workspaces.ts';
import { earnings } from '../store/earnings.ts';
import { addGoalEvents, attributeEvents, type CountedGoals, matchKeyOf, reward, takeBack } from './apply.ts';
import { defineGoals } from './define-goals.ts';
import { formulaBy } from './formula.ts';
import { readEvent } from './rules/attribution.ts';
import type { Formula } from './rules/learned-reward.ts';
import { definitions, type GoalHead, isReady, type StoredGoal } from './store/definitions.ts';
import { goalCounts } from './store/goal-counts.ts';
import { type GoalEvent, goalEvents } from './store/goal-events.ts';
import { goalsByTime } from './store/goals-by-time.ts';
import { guards } from './store/guards.ts';
import { rechecks } from './store/rechecks.ts';

/** Events searched, and those counted, in one transaction: some milliseconds of work. */
const SEARCHED = 20_000;
const COUNTED = 200;
/** Users whose events are looked at again, and events of one, in one transaction. */
const RECHECKED = 200;
/** Decisions whose rewards are calculated again in one transaction. */
const SWEPT = 200;
/** Events of a definition that no longer holds that are removed in one transaction. */
const REMOVED = 200;

/**
 * Runs one step for a workspace, in one transaction: counts new events, then those from before a goal was defined, then
 * calculates the rewards again where the catalog says something else of them. Returns whether more is left.
 */
export async function countStep(tx: Tx, workspaceId: string, catalog: Catalog): Promise<boolean> {
  await due.clear(tx, workspaceId, 'goals');
  const head = await definitions.lockForUpdate(tx, workspaceId);
  const { number: newest } = await eventHeads.get(tx, workspaceId);
  const stored = await defineGoals(tx, workspaceId, catalog, newest);
  const rechecked = await recheck(tx, workspaceId, catalog, stored);
  const counted = await countEvents(tx, workspaceId, catalog, stored, newest);
  const more =
    rechecked ||
    counted ||
    (await sweep(tx, workspaceId, catalog, await definitions.all(tx, workspaceId), head));
  if (more) await due.mark(tx, workspaceId, 'goals');
  return more;
}

/** The definitions of a catalog's goals that events are counted for, by number. */
export function inForce(catalog: Catalog, stored: readonly StoredGoal[]): Map<number, Goal> {
  const byDefinition = new Map(catalog.goals.map((goal) => [goal.definition, goal]));
  return new Map(
    stored.flatMap(({ goal, definition }) => {
      const found = byDefinition.get(definition);
      return found ? [[goal, found] as const] : [];
    }),
  );
}

/** Looks again at events of users of whom a decision began to count. Returns whether it looked at any. */
async function recheck(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
  stored: readonly StoredGoal[],
): Promise<boolean> {
  const found = await rechecks.take(tx, workspaceId, RECHECKED);
  if (found.length === 0) return false;
  const counted = inForce(catalog, stored);
  const formula = formulaBy(catalog, stored);
  let left = COUNTED;
  for (const { hashId, from, number } of found) {
    const events = left > 0 ? await goalEvents.from(tx, workspaceId, { hashId, from, number }, left) : [];
    await attributeEvents(tx, workspaceId, counted, events, formula);
    const last = events.at(-1);
    if (left === 0) await rechecks.add(tx, workspaceId, hashId, from, number);
    // An event may be one of several goals.
    else if (last && events.length === left)
      await rechecks.add(tx, workspaceId, hashId, last.at, last.number - 1);
    left -= events.length;
  }
  return true;
}

/** Counts some new events, and some for the goals that are furthest behind. Returns whether more are left. */
async function countEvents(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
  stored: readonly StoredGoal[],
  newest: number,
): Promise<boolean> {
  const all = inForce(catalog, stored);
  const rows = stored.filter(({ goal }) => all.has(goal));
  if (rows.length === 0) return false;
  const numbers = rows.map(({ number }) => number);
  const formula = formulaBy(catalog, stored);
  let more = false;
  for (const at of new Set([Math.max(...numbers), Math.min(...numbers)])) {
    if (at >= newest) continue;
    const group = rows.filter(({ number }) => number === at);
    const upTo = Math.min(at + SEARCHED, newest, ...numbers.filter((number) => number > at));
    const counted: CountedGoals = new Map(group.map(({ goal }) => [goal, all.get(goal)!]));
    const number = await countRange(tx, workspaceId, { group, counted, after: at, upTo }, formula);
    more ||= number < newest;
  }
  return more;
}

/** Counts up to COUNTED events with numbers in (`after`, `upTo`] for goals; returns the last number that was searched. */
async function countRange(
  tx: Tx,
  workspaceId: string,
  {
    group,
    counted,
    after,
    upTo,
  }: {
    readonly group: readonly StoredGoal[];
    readonly counted: CountedGoals;
    readonly after: number;
    readonly upTo: number;
  },
  formula: Formula,
): Promise<number> {
  const names = [
    ...new Set([...counted.values()].flatMap(({ event, negative }) => [event, negative?.event ?? event])),
  ];
  const found = await log.namedWithProperties(tx, workspaceId, names, after, upTo, COUNTED);
  const key = await workspaces.hashKey(tx, workspaceId);
  const erasing = (await eventHeads.isErasing(tx, workspaceId))
    ? await erasingUsers.all(tx, workspaceId)
    : new Set<string>();
  const added: GoalEvent[] = [];
  const counters = new Map(group.map((goal) => [goal.goal, { ...goal }]));
  for (const event of found) {
    const hashId = hashOf(key, event.userId);
    if (erasing.has(hashId)) continue;
    const properties =
      event.leftOut > 0 ? await log.properties(tx, workspaceId, event.number) : event.properties;
    for (const [goal, definition] of counted) {
      const read = readEvent(definition, { ...event, properties });
      if (!read) continue;
      const sums = counters.get(goal)!;
      if (read.kind === 'unreadable') {
        counters.set(goal, { ...sums, unreadable: sums.unreadable + 1 });
        continue;
      }
      const clips = read.kind === 'counts' && read.clipped ? 1 : 0;
      const counts = read.kind === 'counts' ? 1 : 0;
      counters.set(goal, { ...sums, events: sums.events + counts, clipped: sums.clipped + clips });
      added.push({
        goal,
        number: event.number,
        hashId,
        at: Date.parse(event.timestamp),
        value: read.kind === 'counts' ? read.value : null,
        counted: 0,
        matchKey: read.match === undefined ? null : matchKeyOf(hashId, read.match),
        decisions: [],
      });
    }
  }
  await addGoalEvents(tx, workspaceId, counted, added, formula);
  const number = found.length === COUNTED ? found.at(-1)!.number : upTo;
  for (const sums of counters.values()) await definitions.proceed(tx, workspaceId, { ...sums, number });
  return number;
}

/**
 * Calculates the rewards of some decisions again where the catalog changed what they follow, then removes definitions that
 * no longer hold. Returns whether more is left.
 */
async function sweep(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
  stored: readonly StoredGoal[],
  head: GoalHead,
): Promise<boolean> {
  const formula = formulaBy(catalog, stored);
  const target = JSON.stringify(formula);
  if (head.formula !== target) {
    const swept = head.target === target ? head.swept : 0;
    const found = await earnings.rewardedAfter(tx, workspaceId, swept, SWEPT);
    await reward(tx, workspaceId, found, formula);
    const done = found.length < SWEPT;
    await definitions.setHead(tx, workspaceId, {
      formula: done ? target : head.formula,
      target,
      swept: found.at(-1)?.seq ?? swept,
    });
    return true;
  }
  const retired = stored.find(({ goal }) => isRetired(catalog, stored, goal));
  if (!retired) return false;
  const events = await goalEvents.first(tx, workspaceId, retired.goal, REMOVED);
  await takeBack(tx, workspaceId, events, formula);
  await goalEvents.removeUpTo(tx, workspaceId, retired.goal, events.at(-1)?.number ?? 0);
  if (events.length === REMOVED) return true;
  if ((await goalCounts.removeUsers(tx, workspaceId, retired.goal, REMOVED)) === REMOVED) return true;
  if ((await goalsByTime.remove(tx, workspaceId, retired.goal, REMOVED)) === REMOVED) return true;
  await guards.remove(tx, workspaceId, retired.goal);
  await goalCounts.remove(tx, workspaceId, retired.goal);
  await definitions.remove(tx, workspaceId, retired.goal);
  return true;
}

/** True for a definition that the catalog no longer has, once the one in its place is counted. */
function isRetired(catalog: Catalog, stored: readonly StoredGoal[], goal: number): boolean {
  const counted = inForce(catalog, stored);
  if (counted.has(goal)) return false;
  const { goalId } = stored.find((each) => each.goal === goal)!;
  const successor = stored.find((each) => each.goalId === goalId && counted.has(each.goal));
  return !successor || isReady(successor);
}
