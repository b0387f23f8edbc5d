import { seededRandom } from '../../../src/kit/random.ts';
import { type GroupSums, isAhead } from '../../../src/service/decisions/goals/rules/gain-interval.ts';

/** A kind of world in which the holdout group earns as much as the learned choice. */
export interface SameWorld {
  readonly name: string;
  /** Share of the users in the holdout group. */
  readonly holdout: number;
  /** Mean probability of a conversion. */
  readonly rate: number;
  /** Decisions of a user on average; users differ in their probabilities where it is above 1. */
  readonly perUser: number;
  /** A conversion arrives up to so many decisions later. */
  readonly delay: number;
  /** Amounts of a conversion: each 1, or mostly small with some large ones. */
  readonly amounts: 'one' | 'skewed';
  /** Share of the conversions that are taken back later. */
  readonly refunds: number;
}

export const SAME_WORLDS: readonly SameWorld[] = [
  { name: 'orders', holdout: 0.05, rate: 0.03, perUser: 1, delay: 0, amounts: 'one', refunds: 0 },
  { name: 'rare orders', holdout: 0.05, rate: 0.004, perUser: 1, delay: 0, amounts: 'one', refunds: 0 },
  { name: 'clicks', holdout: 0.5, rate: 0.3, perUser: 1, delay: 0, amounts: 'one', refunds: 0 },
  { name: 'amounts', holdout: 0.1, rate: 0.1, perUser: 1, delay: 0, amounts: 'skewed', refunds: 0 },
  { name: 'users return', holdout: 0.1, rate: 0.1, perUser: 8, delay: 0, amounts: 'one', refunds: 0 },
  {
    name: 'late, refunded',
    holdout: 0.1,
    rate: 0.1,
    perUser: 3,
    delay: 400,
    amounts: 'skewed',
    refunds: 0.2,
  },
];

/** True if a world without a gain is ever said to have one, or a loss, in a look after every decision. */
export function isEverClaimed(world: SameWorld, decisions: number, seed: string): boolean {
  const { holdout, rate, perUser, delay, amounts, refunds } = world;
  const random = seededRandom(seed);
  const groups = [0, 1].map(() => ({ served: 0, value: 0, squares: 0, most: 0 }));
  const users: { readonly group: number; readonly rate: number; total: number }[] = [];
  const later = new Map<number, { readonly user: number; readonly amount: number }[]>();
  const arrive = (at: number, user: number, amount: number) =>
    later.set(at, [...(later.get(at) ?? []), { user, amount }]);
  const earn = (user: number, amount: number) => {
    const one = users[user]!;
    const sums = groups[one.group]!;
    sums.squares += (one.total + amount) ** 2 - one.total ** 2;
    sums.value += amount;
    one.total += amount;
    sums.most = Math.max(sums.most, one.total);
  };
  for (let at = 0; at < decisions; at++) {
    let user = users.length;
    if (user > 0 && random() < 1 - 1 / perUser) user = Math.floor(random() * user);
    else
      users.push({
        group: random() < holdout ? 1 : 0,
        // A few users earn most.
        rate: perUser === 1 ? rate : Math.min(0.95, 3 * rate * random() ** 2),
        total: 0,
      });
    groups[users[user]!.group]!.served++;
    if (random() < users[user]!.rate) {
      const amount = amounts === 'one' ? 1 : random() < 0.1 ? 1 : 0.1 * random();
      const due = at + Math.floor(random() * delay);
      arrive(due, user, amount);
      if (random() < refunds) {
        const back = due + 1 + Math.floor(random() * delay);
        arrive(back, user, -amount);
      }
    }
    for (const { user: who, amount } of later.get(at) ?? []) earn(who, amount);
    later.delete(at);
    const [learned, held] = groups as [GroupSums, GroupSums];
    if (isAhead(learned, held, 0) || isAhead(held, learned, 0)) return true;
  }
  return false;
}
