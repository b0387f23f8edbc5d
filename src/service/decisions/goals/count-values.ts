import type { Tx } from '../../platform/store/store.ts';
import { fanOuts } from '../../webhooks/store/fan-outs.ts';
import type { Earning } from '../store/earnings.ts';
import { UNIT } from './rules/attribution.ts';
import { goalValue } from './rules/learned-reward.ts';
import { definitions, isReady } from './store/definitions.ts';
import { type GoalCount, goalCounts, type UserValue } from './store/goal-counts.ts';
import { type GoalAtTime, goalsByTime } from './store/goals-by-time.ts';

type Valued = Pick<
  Earning,
  'decisionId' | 'hashId' | 'contentId' | 'policy' | 'countedAt' | 'goals' | 'given'
>;

/** A change of what a decision earned of a goal, in millionths. */
interface Change {
  readonly goal: number;
  readonly goalId: string;
  /** False while events from before its definition are counted: they are old. */
  readonly isNews: boolean;
  readonly decision: Valued;
  readonly from: number;
  readonly to: number;
}

const squareOf = (value: number) => Math.round((value * value) / UNIT);

/**
 * Counts what changed for contents, for all and for users, of decisions before and after a change, in the same order. Events
 * of a goal are news once those from before it are counted, unless `isNews` says it: what is reported from outside is. One
 * transaction at a time: it has locked what the rewards of the workspace follow.
 */
export async function countValues(
  tx: Tx,
  workspaceId: string,
  before: readonly Valued[],
  after: readonly Valued[],
  isNews?: boolean,
): Promise<void> {
  const stored = await definitions.all(tx, workspaceId);
  const changes = after.flatMap((decision, i) =>
    stored.flatMap((goal): Change[] => {
      const [from, to] = [before[i]!, decision].map((each) => Math.round(UNIT * goalValue(each, goal)));
      const reported = (decision.countedAt ?? tx.now) >= goal.since;
      return from === to || !reported
        ? []
        : [
            {
              ...{ goal: goal.goal, goalId: goal.goalId },
              isNews: isNews ?? isReady(goal),
              decision,
              from: from!,
              to: to!,
            },
          ];
    }),
  );
  if (changes.length === 0) return;
  const sums = new Map<string, GoalCount>();
  const add = (change: GoalCount) => {
    const key = JSON.stringify([change.goal, change.contentId, change.policy]);
    const sum = sums.get(key);
    sums.set(key, {
      ...change,
      converted: change.converted + (sum?.converted ?? 0),
      value: change.value + (sum?.value ?? 0),
      squares: change.squares + (sum?.squares ?? 0),
      most: Math.max(change.most, sum?.most ?? 0),
    });
  };
  const users = await countUsers(tx, workspaceId, changes);
  const byTime: GoalAtTime[] = [];
  for (const [i, { goal, decision, from, to }] of changes.entries()) {
    const { contentId } = decision;
    const policy = decision.policy ?? 'learned';
    const change = { goal, policy, value: to - from, converted: Number(to > 0) - Number(from > 0) };
    add({ ...change, contentId: contentId ?? '', squares: squareOf(to) - squareOf(from), most: 0 });
    add({ ...change, contentId: '', ...users[i]! });
    const at = decision.countedAt ?? tx.now;
    for (const each of ['', contentId ?? ''])
      byTime.push({ goal, policy, at, value: to - from, ...users[i]!, contentId: each });
  }
  await notifyOf(tx, workspaceId, changes);
  const inOrder = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  await goalCounts.add(tx, workspaceId, inOrder);
  await goalsByTime.add(tx, workspaceId, byTime);
}

/** Queues the deliveries of conversions to the subscriptions that name them. */
async function notifyOf(tx: Tx, workspaceId: string, changes: readonly Change[]): Promise<void> {
  const converted = changes.filter(
    ({ isNews, decision, from, to }) => isNews && decision.hashId !== '' && from === 0 && to > 0,
  );
  // A goal that was changed has two definitions for a while.
  const first = new Map(converted.map((each) => [`${each.goalId} ${each.decision.decisionId}`, each]));
  for (const { goalId, decision, to } of first.values()) {
    const { decisionId, hashId, contentId } = decision;
    await fanOuts.start(tx, workspaceId, {
      ...{ kind: 'decision.converted', decisionId, hashId, contentId: contentId ?? '', occurredAt: tx.now },
      ...{ goalId, value: to / UNIT },
    });
  }
}

/**
 * Counts what changed for users. Returns, for each change, that of the square of what its user earned in all, and the most
 * that the user did: added up in any way, they are of users.
 */
async function countUsers(
  tx: Tx,
  workspaceId: string,
  changes: readonly Change[],
): Promise<Pick<GoalCount, 'squares' | 'most'>[]> {
  const hashIds = [...new Set(changes.map(({ decision }) => decision.hashId))];
  const keyOf = ({ goal, hashId, policy }: Omit<UserValue, 'value'>) => `${hashId} ${goal} ${policy}`;
  const known = await goalCounts.ofUsers(tx, workspaceId, hashIds);
  const was = new Map(known.map((user) => [keyOf(user), user.value]));
  const is = new Map<string, UserValue>();
  const counted = changes.map(({ goal, decision, from, to }) => {
    // What an erased user earned has no user any more.
    if (decision.hashId === '') return { squares: squareOf(to) - squareOf(from), most: to };
    const user = { goal, hashId: decision.hashId, policy: decision.policy ?? 'learned' };
    const key = keyOf(user);
    const before = is.get(key)?.value ?? was.get(key) ?? 0;
    const value = before + to - from;
    is.set(key, { ...user, value });
    return { squares: squareOf(value) - squareOf(before), most: value };
  });
  await goalCounts.setUsers(tx, workspaceId, [...is.values()]);
  return counted;
}
