import { seededRandom } from '../../../src/kit/random.ts';
import {
  type Evidence,
  isBeyondDoubt,
  NO_EVIDENCE,
  type Span,
  withSpan,
} from '../../../src/service/decisions/goals/rules/gain-interval.ts';
import { doubtsOf } from '../../../src/service/decisions/goals/rules/guard.ts';

/** A kind of world in which contents are shown and a bad goal is counted. */
export interface GuardWorld {
  readonly name: string;
  readonly contents: number;
  /** Share of the users in the holdout group. */
  readonly holdout: number;
  /** Probability that a decision of the holdout group converts, at the beginning and at the end. */
  readonly rate: readonly [number, number];
  /** By how much more often decisions of the learned choice convert. */
  readonly more: number;
  /** By how much more often those of the first content do. */
  readonly harm: number;
  readonly worseThan: number;
  /** Decisions of a user on average; users differ in their probabilities where it is above 1. */
  readonly perUser: number;
  /** The learned choice moves from the first contents to the last ones. */
  readonly moves: boolean;
  /** Share of the conversions that are taken back later. */
  readonly refunds: number;
}

const PLAIN = {
  ...{ contents: 10, holdout: 0.1, rate: [0.02, 0.02], more: 0, harm: 0, worseThan: 0.005, perUser: 1 },
  ...{ moves: false, refunds: 0 },
} as const satisfies Omit<GuardWorld, 'name'>;

/** Worlds in which nothing is worse than the holdout group by more than the margin. */
export const HARMLESS_WORLDS: readonly GuardWorld[] = [
  { ...PLAIN, name: 'the same' },
  { ...PLAIN, name: 'at the margin', more: 0.02, worseThan: 0.02 },
  { ...PLAIN, name: 'a small margin', worseThan: 0.0001, rate: [0.1, 0.1], holdout: 0.5 },
  { ...PLAIN, name: 'rates fall, choices move', rate: [0.2, 0.02], moves: true },
  { ...PLAIN, name: 'rates rise, choices move', rate: [0.02, 0.2], moves: true },
  { ...PLAIN, name: 'users return', perUser: 8, rate: [0.05, 0.05] },
  { ...PLAIN, name: 'taken back', perUser: 3, rate: [0.1, 0.1], refunds: 0.3 },
  { ...PLAIN, name: '50 contents', contents: 50, rate: [0.05, 0.05] },
];

/** Worlds in which the first content converts three times as often, or the learned choice does. */
export const HARMFUL_WORLDS: readonly GuardWorld[] = [
  { ...PLAIN, name: '2 % to 6 %, holdout 10 %', harm: 0.04 },
  { ...PLAIN, name: '2 % to 6 %, holdout 20 %', harm: 0.04, holdout: 0.2 },
  { ...PLAIN, name: '2 % to 6 %, margin 2 %', harm: 0.04, worseThan: 0.02 },
  { ...PLAIN, name: '10 % to 30 %', harm: 0.2, rate: [0.1, 0.1], worseThan: 0.02 },
  { ...PLAIN, name: '2 % to 6 %, 50 contents', contents: 50, harm: 0.04 },
  { ...PLAIN, name: 'learned choice, 2 % to 6 %', more: 0.04 },
];

/** Decisions of a day: a span in which groups are compared. */
const DAY = 250;

interface Sums {
  served: number;
  value: number;
  squares: number;
  most: number;
}

/** What the guard says of a world that is looked at after every decision: what it takes out first, and after how many decisions. */
export interface Verdict {
  /** A content by its number, or the learned choice. */
  readonly of: number | 'learned';
  readonly after: number;
}

/** The first verdict in a world of `decisions` decisions; undefined where there is none. */
export function firstVerdict(world: GuardWorld, decisions: number, seed: string): Verdict | undefined {
  const { contents, holdout, rate, perUser, worseThan, refunds } = world;
  const random = seededRandom(seed);
  const doubts = doubtsOf({ goals: 1, contents });
  /** One for each content, and the last for the learned choice. */
  const closed: Evidence[] = Array.from({ length: contents + 1 }, () => NO_EVIDENCE);
  const empty = (): Sums => ({ served: 0, value: 0, squares: 0, most: 0 });
  const days = Array.from({ length: Math.ceil(decisions / DAY) }, () => ({
    held: empty(),
    groups: Array.from({ length: contents + 1 }, empty),
  }));
  const users: { readonly held: boolean; readonly factor: number; total: number }[] = [];
  const back = new Map<number, { readonly user: number; readonly day: number; readonly content: number }[]>();
  const earn = (user: number, day: number, content: number, amount: number) => {
    const one = users[user]!;
    const squares = (one.total + amount) ** 2 - one.total ** 2;
    one.total += amount;
    const sums = one.held ? [days[day]!.held] : [days[day]!.groups[content]!, days[day]!.groups[contents]!];
    for (const each of sums) {
      each.value += amount;
      each.squares += squares;
      each.most = Math.max(each.most, one.total);
    }
  };
  const evidenceOn = (day: number, group: number, before: Evidence) => {
    const { held, groups } = days[day]!;
    const span: Span = { one: groups[group]!, other: held };
    return withSpan(before, span, worseThan);
  };
  for (let at = 0; at < decisions; at++) {
    const day = Math.floor(at / DAY);
    const progress = at / decisions;
    if (at % DAY === 0 && day > 0)
      for (let group = 0; group <= contents; group++)
        closed[group] = evidenceOn(day - 1, group, closed[group]!);
    let user = users.length;
    if (user > 0 && random() < 1 - 1 / perUser) user = Math.floor(random() * user);
    // A few users convert most.
    else users.push({ held: random() < holdout, factor: perUser === 1 ? 1 : 3 * random() ** 2, total: 0 });
    const { held, factor } = users[user]!;
    const spread = random();
    const place = world.moves && !held ? 0.8 * progress + 0.2 * spread : spread;
    const content = Math.min(contents - 1, Math.floor(place * contents));
    const base = factor * (rate[0] + progress * (rate[1] - rate[0]));
    const chance = Math.min(0.95, base + (held ? 0 : world.more) + (content === 0 ? world.harm : 0));
    const { held: heldSums, groups } = days[day]!;
    for (const each of held ? [heldSums] : [groups[content]!, groups[contents]!]) each.served++;
    if (random() < chance) {
      earn(user, day, content, 1);
      const due = at + 1 + Math.floor(random() * 1000);
      if (random() < refunds) back.set(due, [...(back.get(due) ?? []), { user, day, content }]);
    }
    const taken = back.get(at) ?? [];
    for (const { user: who, day: then, content: of } of taken) earn(who, then, of, -1);
    if (taken.some(({ day: then }) => then < day))
      for (let group = 0; group <= contents; group++) {
        closed[group] = NO_EVIDENCE;
        for (let each = 0; each < day; each++) closed[group] = evidenceOn(each, group, closed[group]!);
      }
    for (let group = 0; group <= contents; group++) {
      const isLearned = group === contents;
      if (!held && !isLearned && group !== content) continue;
      if (isBeyondDoubt(evidenceOn(day, group, closed[group]!), isLearned ? doubts.learned : doubts.content))
        return { of: isLearned ? 'learned' : group, after: at + 1 };
    }
  }
  return undefined;
}
