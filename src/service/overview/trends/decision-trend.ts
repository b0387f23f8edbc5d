import { rateOf } from '../../../kit/intervals.ts';
import { type GroupSums, gainOf } from '../../decisions/goals/rules/gain-interval.ts';
import { byStep, type Steps, stepAt, viewOf } from './steps.ts';
import type { CountedRow } from './store.ts';

/** Points of an estimate: fewer than steps, so that each has enough decisions to say something. */
export const MOST_POINTS = 12;

const iso = (at: number) => new Date(at).toISOString();
const sumOf = (rows: readonly CountedRow[], of: 'served' | 'rewarded' | 'dismissed') =>
  rows.reduce((sum, row) => sum + row[of], 0);

/** The answer for these contents, the most served first. */
export function decisionTrend(
  steps: Steps,
  contentIds: readonly string[],
  rows: readonly CountedRow[],
  { ofContent, gains }: { readonly ofContent: (contentId: string) => object; readonly gains: object },
): object {
  const all = rows.filter(({ contentId }) => contentId === '');
  const held = all.filter(({ policy }) => policy === 'holdout');
  const servedOf = (some: readonly CountedRow[], of: (row: CountedRow) => number) =>
    byStep(
      steps,
      some.map((row) => ({ at: row.at, n: of(row) })),
    );
  return {
    ...viewOf(steps),
    served: servedOf(all, ({ served }) => served),
    holdout: servedOf(held, ({ served }) => served),
    tried: servedOf(all, ({ tried }) => tried),
    total: rateAt(steps.from, all),
    holdoutTotal: rateAt(steps.from, held),
    contents: contentIds.map((contentId) => {
      const own = rows.filter((row) => row.contentId === contentId);
      const chosen = own.filter(({ policy }) => policy !== 'holdout');
      return {
        contentId,
        total: rateAt(steps.from, own),
        served: servedOf(chosen, ({ served, tried }) => served - tried),
        rates: pointsOf(steps, own, rateAt),
        ...ofContent(contentId),
      };
    }),
    gain: gainUntil(steps, all, groupOf, steps.count),
    ...gains,
  };
}

/** The rate of decisions from a time on; null without any. */
function rateAt(from: number, rows: readonly CountedRow[]): object | null {
  const served = sumOf(rows, 'served');
  const rewarded = sumOf(rows, 'rewarded');
  const rate = rateOf(rewarded, served);
  return rate && { from: iso(from), served, rewarded, dismissed: sumOf(rows, 'dismissed'), ...rate };
}

/** What is estimated of a content in equal parts of the range, by `estimate` of the beginning of a part and its rows. */
export function pointsOf<T extends { readonly at: number }>(
  steps: Steps,
  rows: readonly T[],
  estimate: (from: number, rows: readonly T[]) => object | null,
): object[] {
  const perPoint = Math.ceil(steps.count / MOST_POINTS);
  const points = Math.ceil(steps.count / perPoint);
  return Array.from({ length: points }, (_, point) => {
    const own = rows.filter(({ at }) => Math.floor(stepAt(steps, at) / perPoint) === point);
    return estimate(steps.from + point * perPoint * steps.stepMs, own);
  }).filter((point) => point !== null);
}

/** What learning gained from the beginning of the range to the ends of its steps, or of at most so many parts of it. */
export function gainUntil<T extends { readonly at: number; readonly policy: string }>(
  steps: Steps,
  all: readonly T[],
  groupOf: (rows: readonly T[]) => GroupSums,
  most: number,
): object[] {
  const perPoint = Math.ceil(steps.count / most);
  const points: object[] = [];
  for (let from = 0; from < steps.count; from += perPoint) {
    const step = Math.min(from + perPoint, steps.count);
    const before = all.filter(({ at }) => stepAt(steps, at) < step);
    const of = (policy: string) => groupOf(before.filter((row) => row.policy === policy));
    const [learned, holdout] = [of('learned'), of('holdout')];
    const gain = gainOf(learned, holdout);
    const end = Math.min(steps.from + step * steps.stepMs, steps.until);
    if (gain) points.push({ until: iso(end), learned: learned.served, holdout: holdout.served, ...gain });
  }
  return points;
}

/** Decisions that earned 1 or nothing. */
function groupOf(rows: readonly CountedRow[]): GroupSums {
  const served = sumOf(rows, 'served');
  const rewarded = Math.min(served, sumOf(rows, 'rewarded'));
  return { served, value: rewarded, squares: rewarded, most: 1 };
}
