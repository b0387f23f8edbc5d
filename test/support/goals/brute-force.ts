import {
  categoryOf,
  contentOf,
  GOALS,
  type Op,
  policyOf,
  REWARDS,
  surfaceOf,
  type WorldEvent,
} from './world.ts';

const SPANS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const UNIT = 1_000_000;

interface Decided {
  readonly id: number;
  readonly user: number;
  served: number | undefined;
  readonly outcomes: Map<string, number>;
}

export interface Expected {
  /** Millionths by goalId, of the decisions that earned any. */
  readonly values: Map<number, Record<string, number>>;
  /** The reward of each decision that counts. */
  readonly rewards: Map<number, number>;
  /**
   * By goalId, content and policy: decisions that earned, and in millionths the sum of what they did and of its squares; of
   * all contents (''), the squares of what each user earned.
   */
  readonly counts: Map<string, [converted: number, value: number, squares: number]>;
}

/** What decisions earn in a world: every event is compared with every decision of its user. */
export function bruteForce(ops: Iterable<Op>): Expected {
  const decided = new Map<number, Decided>();
  const sent: WorldEvent[] = [];
  let last = 0;
  for (const op of ops) {
    if (op.op === 'decide')
      decided.set(op.id, {
        id: op.id,
        user: op.user,
        served: op.polled ? undefined : op.now,
        outcomes: new Map(),
      });
    else if (op.op === 'serve') decided.get(op.id)!.served ??= op.now;
    else if (op.op === 'outcome') {
      const { outcomes } = decided.get(op.id)!;
      if (!outcomes.has(op.type)) outcomes.set(op.type, op.now);
    } else if (op.op === 'ingest') sent.push(...op.events);
    else if (op.op === 'catalog') last = op.catalog;
  }
  const ofUser = new Map<number, Decided[]>();
  for (const each of decided.values()) ofUser.set(each.user, [...(ofUser.get(each.user) ?? []), each]);
  const refunded = new Set(
    sent.flatMap(({ event, user, order }) =>
      event === 'refund' && order !== undefined ? [`${user} ${order}`] : [],
    ),
  );
  const sums = new Map<number, Record<string, number>>();
  for (const goal of GOALS[last]!) {
    const within = Number.parseInt(goal.within, 10) * SPANS[goal.within.at(-1)!]!;
    const startOf = ({ served, outcomes }: Decided) => {
      if (goal.after === undefined || goal.after === 'served') return served;
      const kinds = goal.after === 'opened' ? ['opened', 'clicked', 'actioned'] : ['clicked', 'actioned'];
      const times = kinds.flatMap((kind) => outcomes.get(kind) ?? []);
      return times.length === 0 ? undefined : Math.min(...times);
    };
    for (const event of sent) {
      if (event.event !== goal.event) continue;
      if (goal.where?.includes('currency:EUR') && event.currency !== 'EUR') continue;
      if (goal.where?.includes('amount>5') && !(typeof event.amount === 'number' && event.amount > 5))
        continue;
      if (goal.value && typeof event.amount !== 'number') continue;
      if (goal.negative && event.order !== undefined && refunded.has(`${event.user} ${event.order}`))
        continue;
      const worth = goal.value
        ? Math.round(Math.min(1, Math.max(0, Number(event.amount) / 200)) * UNIT)
        : UNIT;
      const inWindow = (ofUser.get(event.user) ?? [])
        .flatMap((each) => {
          const start = startOf(each);
          return start !== undefined && start <= event.at && event.at - start < within
            ? [{ each, start }]
            : [];
        })
        .filter(
          ({ each: { id } }) =>
            (!goal.contents || goal.contents.includes(contentOf(id))) &&
            (!goal.categories || goal.categories.includes(categoryOf(id))) &&
            (goal.surface === undefined || goal.surface === surfaceOf(id)),
        )
        .sort((a, b) => a.start - b.start || a.each.id - b.each.id);
      const chosen =
        goal.attribute === 'each'
          ? inWindow
          : goal.attribute === 'first'
            ? inWindow.slice(0, 1)
            : inWindow.slice(-1);
      for (const { each } of chosen) {
        const known = sums.get(each.id) ?? {};
        known[goal.goalId] = (known[goal.goalId] ?? 0) + worth;
        sums.set(each.id, known);
      }
    }
  }
  for (const [id, known] of sums) {
    for (const [goalId, sum] of Object.entries(known)) if (sum === 0) delete known[goalId];
    if (Object.keys(known).length === 0) sums.delete(id);
  }
  const counts = new Map<string, [number, number, number]>();
  const users = new Map<string, Map<number, number>>();
  const squareOf = (worth: number) => Math.round(worth ** 2 / UNIT);
  for (const [id, known] of sums)
    for (const [goalId, sum] of Object.entries(known))
      for (const content of ['', contentOf(id)]) {
        const key = `${goalId} ${content} ${policyOf(id) ?? 'learned'}`;
        const [converted, value, squares] = counts.get(key) ?? [0, 0, 0];
        const worth = Math.min(UNIT, sum);
        counts.set(key, [converted + 1, value + worth, squares + (content === '' ? 0 : squareOf(worth))]);
        if (content !== '') continue;
        const { user } = decided.get(id)!;
        const known = users.get(key) ?? new Map<number, number>();
        users.set(key, known.set(user, (known.get(user) ?? 0) + worth));
      }
  for (const [key, worths] of users) {
    const [converted, value] = counts.get(key)!;
    counts.set(key, [
      converted,
      value,
      [...worths.values()].reduce((sum, worth) => sum + squareOf(worth), 0),
    ]);
  }
  return { values: sums, rewards: rewardsOf(decided.values(), sums, REWARDS[last]), counts };
}

function rewardsOf(
  decided: Iterable<Decided>,
  sums: ReadonlyMap<number, Record<string, number>>,
  reward: (typeof REWARDS)[number],
): Map<number, number> {
  const worth: Readonly<Record<string, number>> = { opened: 0.2, clicked: 0.6, actioned: 1 };
  const rewards = new Map<number, number>();
  for (const { id, served, outcomes } of decided) {
    if (served === undefined) continue;
    const best = Math.max(0, ...[...outcomes.keys()].map((type) => worth[type]!));
    const value = (goalId: string) => Math.min(1, (sums.get(id)?.[goalId] ?? 0) / UNIT);
    if (!reward) rewards.set(id, best);
    else if ('goal' in reward) rewards.set(id, value(reward.goal));
    else {
      const { order, each, clicked } = reward.goals;
      const sum = 0.25 * best + order * value('order') + each * value('each') + clicked * value('clicked');
      rewards.set(id, Math.min(1, sum));
    }
  }
  return rewards;
}
