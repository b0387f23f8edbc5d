import { createHash } from 'node:crypto';
import type { Goal } from '../../catalog/goal.ts';
import { due } from '../../platform/store/due.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { PartOfReward } from '../engine/delays.ts';
import { type Earning, earnings } from '../store/earnings.ts';
import { rewards } from '../store/rewards.ts';
import { countValues } from './count-values.ts';
import { attributedTo, MAX_CANDIDATES } from './rules/attribution.ts';
import { changedParts, type Formula, rewardOf } from './rules/learned-reward.ts';
import { candidates } from './store/candidates.ts';
import { definitions, isReady } from './store/definitions.ts';
import { type GoalEvent, goalEvents } from './store/goal-events.ts';

/** A change of what decisions earned, in millionths, by decision and number of the goal. */
type Changes = Map<string, Map<number, number>>;

/** The goals as they are counted now, by number. */
export type CountedGoals = ReadonlyMap<number, Goal>;

/** The key of what a correction and the event that it corrects have in common; it names nobody. */
export function matchKeyOf(hashId: string, text: string): string {
  return createHash('sha256').update(`${hashId} ${text}`).digest('base64url').slice(0, 22);
}

/**
 * Adds events of goals, and brings everything that follows from them up to date. What an event counts for depends on the
 * stored decisions and events alone, so the order in which they arrive does not matter.
 */
export async function addGoalEvents(
  tx: Tx,
  workspaceId: string,
  counted: CountedGoals,
  added: readonly GoalEvent[],
  formula: Formula,
): Promise<void> {
  if (added.length === 0) return;
  const related = await matching(tx, workspaceId, counted, added);
  const corrections = correctionsIn([...related, ...added]);
  const corrects = correctionsIn(added);
  const earlier = related.filter((event) => event.value !== null && corrects.has(matchOf(event)));
  const before = [...added, ...earlier];
  const after = await attributed(tx, workspaceId, counted, before, corrections);
  await goalEvents.add(tx, workspaceId, after.slice(0, added.length));
  await store(tx, workspaceId, earlier, after.slice(added.length));
  await earn(tx, workspaceId, changesOf(before, after), formula);
}

/** Attributes stored events again: to the decisions that are stored now, and without what is corrected. */
export async function attributeEvents(
  tx: Tx,
  workspaceId: string,
  counted: CountedGoals,
  events: readonly GoalEvent[],
  formula: Formula,
  isNews?: boolean,
): Promise<void> {
  const valued = events.filter(({ goal, value }) => value !== null && counted.has(goal));
  if (valued.length === 0) return;
  const corrections = correctionsIn(await matching(tx, workspaceId, counted, valued));
  const after = await attributed(tx, workspaceId, counted, valued, corrections);
  await store(tx, workspaceId, valued, after);
  await earn(tx, workspaceId, changesOf(valued, after), formula, isNews);
}

/** Events as they count now; corrections stay as they are. */
async function attributed(
  tx: Tx,
  workspaceId: string,
  counted: CountedGoals,
  events: readonly GoalEvent[],
  corrections: ReadonlySet<string>,
): Promise<GoalEvent[]> {
  const users = events.flatMap(({ value, hashId }) => (value === null ? [] : [hashId]));
  const decided =
    users.length > 0 ? await candidates.decided(tx, workspaceId, [...new Set(users)]) : new Set();
  return pipeline(
    events.map(async (event) => {
      if (event.value === null) return event;
      const goal = counted.get(event.goal)!;
      const found = decided.has(event.hashId) ? await candidatesOf(tx, workspaceId, goal, event) : [];
      return {
        ...event,
        counted: corrections.has(matchOf(event)) ? 0 : event.value,
        decisions: attributedTo(goal, event.at, found),
      };
    }),
  );
}

/** Stores how stored events count, where that has changed. */
async function store(
  tx: Tx,
  workspaceId: string,
  before: readonly GoalEvent[],
  after: readonly GoalEvent[],
): Promise<void> {
  const changed = after.filter(
    ({ counted, decisions }, i) =>
      counted !== before[i]!.counted || String(decisions) !== String(before[i]!.decisions),
  );
  await goalEvents.attribute(tx, workspaceId, changed);
}

function changesOf(before: readonly GoalEvent[], after: readonly GoalEvent[]): Changes {
  const changes: Changes = new Map();
  for (const event of before) addChange(changes, event, -1);
  for (const event of after) addChange(changes, event, 1);
  return changes;
}

/** Removes stored events as if they had never come: also what they corrected counts again. That is no news. */
export async function removeGoalEvents(
  tx: Tx,
  workspaceId: string,
  counted: CountedGoals,
  removed: readonly GoalEvent[],
  formula: Formula,
): Promise<void> {
  if (removed.length === 0) return;
  const corrected = correctionsIn(removed);
  await goalEvents.remove(tx, workspaceId, removed);
  const related = await matching(tx, workspaceId, counted, removed);
  await takeBack(tx, workspaceId, removed, formula);
  const again = related.filter((event) => corrected.has(matchOf(event)));
  await attributeEvents(tx, workspaceId, counted, again, formula, false);
}

/** Takes back what events count, which are removed then. */
export async function takeBack(
  tx: Tx,
  workspaceId: string,
  events: readonly GoalEvent[],
  formula: Formula,
): Promise<void> {
  await earn(tx, workspaceId, changesOf(events, []), formula);
}

/** What an event and its corrections have in common; empty where nothing can correct it. */
const matchOf = ({ goal, matchKey }: GoalEvent) => (matchKey === null ? '' : `${goal} ${matchKey}`);

/** What the corrections among some events take back. */
const correctionsIn = (events: readonly GoalEvent[]): ReadonlySet<string> =>
  new Set(
    events.flatMap((event) => (event.value === null && event.matchKey !== null ? [matchOf(event)] : [])),
  );

/** The stored events that correct some events, or that these correct. */
async function matching(
  tx: Tx,
  workspaceId: string,
  counted: CountedGoals,
  events: readonly GoalEvent[],
): Promise<GoalEvent[]> {
  const found: GoalEvent[] = [];
  for (const goal of counted.keys()) {
    const keys = new Set(
      events.flatMap((event) => (event.goal === goal && event.matchKey !== null ? [event.matchKey] : [])),
    );
    found.push(...(await goalEvents.matching(tx, workspaceId, goal, [...keys])));
  }
  return found;
}

/** The decisions that an event may count for. */
function candidatesOf(tx: Tx, workspaceId: string, goal: Goal, { hashId, at }: GoalEvent) {
  const only = goal.attribute === 'last' && !goal.contents && !goal.categories && goal.surface === undefined;
  return candidates.of(tx, workspaceId, hashId, goal.after, {
    from: at - goal.withinMs,
    upTo: at,
    limit: only ? 1 : MAX_CANDIDATES,
  });
}

function addChange(changes: Changes, { goal, counted, decisions }: GoalEvent, sign: 1 | -1): void {
  if (counted === 0) return;
  for (const decisionId of decisions) {
    const ofDecision = changes.get(decisionId) ?? new Map<number, number>();
    ofDecision.set(goal, (ofDecision.get(goal) ?? 0) + sign * counted);
    changes.set(decisionId, ofDecision);
  }
}

/** Changes what decisions earned: their sums, what their contents earned, and the rewards that are learned. */
async function earn(
  tx: Tx,
  workspaceId: string,
  changes: Changes,
  formula: Formula,
  isNews?: boolean,
): Promise<void> {
  const ids = [...changes].flatMap(([id, of]) =>
    [...of.values()].some((change) => change !== 0) ? [id] : [],
  );
  if (ids.length === 0) return;
  const before = await earnings.lockAll(tx, workspaceId, ids.sort());
  const after = before.map((decision) => ({
    ...decision,
    goals: withChanges(decision.goals, changes.get(decision.decisionId)!),
  }));
  await earnings.setGoals(tx, workspaceId, after);
  await countValues(tx, workspaceId, before, after, isNews);
  // What is counted back, or was removed, tells nothing of how long responses take.
  const isTold = isNews !== false && formula.goals.length > 0;
  const stored = isTold ? await definitions.all(tx, workspaceId) : [];
  const old = new Set(stored.flatMap((goal) => (isReady(goal) ? [] : [goal.goalId])));
  const partsOf = (i: number) =>
    isNews === false
      ? []
      : changedParts(formula, before[i]!, after[i]!)?.filter(({ part }) => !old.has(part));
  await reward(tx, workspaceId, after, formula, partsOf);
}

/**
 * Brings the rewards of locked decisions in line with a formula. Those without an entry in the reward log get theirs later.
 * @param partsOf the parts of the reward of a decision, by its place, that changed now; by default it is calculated again
 */
export async function reward(
  tx: Tx,
  workspaceId: string,
  locked: readonly Earning[],
  formula: Formula,
  partsOf: (i: number) => readonly PartOfReward[] | undefined = () => [],
): Promise<void> {
  const rewarded = locked.flatMap((decision, i) =>
    decision.reward === null
      ? []
      : [
          {
            decision,
            reward: rewardOf(formula, decision),
            earned: decision.earned ?? 0,
            parts: partsOf(i),
          },
        ],
  );
  if ((await rewards.add(tx, workspaceId, rewarded)) > 0) await due.mark(tx, workspaceId, 'learn');
}

function withChanges(
  sums: Readonly<Record<string, number>>,
  changes: ReadonlyMap<number, number>,
): Record<string, number> {
  const after: Record<string, number> = { ...sums };
  for (const [goal, change] of changes) {
    const sum = (after[goal] ?? 0) + change;
    if (sum === 0) delete after[goal];
    else after[goal] = sum;
  }
  return after;
}
