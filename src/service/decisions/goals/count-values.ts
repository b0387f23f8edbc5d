import type { Tx } from '../../platform/store/store.ts';
import { fanOuts } from '../../webhooks/store/fan-outs.ts';
import type { Earning } from '../store/decisions.ts';
import { UNIT } from './rules/attribution.ts';
import { goalValue } from './rules/learned-reward.ts';
import { definitions, isReady } from './store/definitions.ts';
import { type GoalCount, goalCounts, type UserValue } from './store/goal-counts.ts';

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
 * Counts what changed for contents, for all and for users, of decisions before and after a change, in the same order. What is
 * reported from outside (`isReported`) is news, while events of a goal are once those from before it are counted. One
 * transaction at a time: it has locked what the rewards of the workspace follow.
 */
export async function countValues(
  tx: Tx,
  workspaceId: string,
  before: readonly Valued[],
  after: readonly Valued[],
  isReported = false,
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
              ...{ goal: goal.goal, goalId: goal.goalId, isNews: isReported || isReady(goal) },
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
  for (const { goal, decision, from, to } of changes) {
    const { contentId, policy } = decision;
    const change = {
      ...{ goal, policy: policy ?? 'learned', value: to - from, most: 0 },
      converted: Number(to > 0) - Number(from > 0),
    };
    add({ ...change, contentId: contentId ?? '', squares: squareOf(to) - squareOf(from) });
    add({ ...change, contentId: '', squares: 0 });
  }
  for (const { squares, most, ...of } of await countUsers(tx, workspaceId, changes))
    add({ ...of, contentId: '', converted: 0, value: 0, squares, most });
  await notifyOf(tx, workspaceId, changes);
  const inOrder = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  await goalCounts.add(tx, workspaceId, inOrder);
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

/** Counts what changed for users; returns the changes of the squares of what each of them earned. */
async function countUsers(tx: Tx, workspaceId: string, changes: readonly Change[]) {
  const hashIds = [...new Set(changes.map(({ decision }) => decision.hashId))];
  const keyOf = ({ goal, hashId, policy }: Omit<UserValue, 'value'>) => `${hashId} ${goal} ${policy}`;
  const known = await goalCounts.ofUsers(tx, workspaceId, hashIds);
  const was = new Map(known.map((user) => [keyOf(user), user.value]));
  const is = new Map<string, UserValue>();
  const squares: Pick<GoalCount, 'goal' | 'policy' | 'squares' | 'most'>[] = [];
  for (const { goal, decision, from, to } of changes) {
    const policy = decision.policy ?? 'learned';
    // What an erased user earned has no user any more.
    if (decision.hashId === '') {
      squares.push({ goal, policy, squares: squareOf(to) - squareOf(from), most: to });
      continue;
    }
    const user = { goal, hashId: decision.hashId, policy };
    const key = keyOf(user);
    is.set(key, { ...user, value: (is.get(key)?.value ?? was.get(key) ?? 0) + to - from });
  }
  for (const [key, { goal, policy, value }] of is)
    squares.push({ goal, policy, squares: squareOf(value) - squareOf(was.get(key) ?? 0), most: value });
  await goalCounts.setUsers(tx, workspaceId, [...is.values()]);
  return squares;
}
