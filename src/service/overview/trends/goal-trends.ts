import { meanOf } from '../../../kit/intervals.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { countedGoals } from '../../decisions/goals/formula.ts';
import { UNIT } from '../../decisions/goals/rules/attribution.ts';
import type { GroupSums } from '../../decisions/goals/rules/gain-interval.ts';
import { definitions } from '../../decisions/goals/store/definitions.ts';
import { type EarnedRow, goalsByTime } from '../../decisions/goals/store/goals-by-time.ts';
import type { Tx } from '../../platform/store/store.ts';
import { gainUntil, MOST_POINTS, pointsOf } from './decision-trend.ts';
import type { Steps } from './steps.ts';
import type { CountedRow } from './store.ts';

/** What decisions earned of goals over a range: by content, and what learning gained. */
interface GoalTrends {
  readonly ofContent: (contentId: string) => { goals?: object[] };
  readonly gains: { goals?: object[] };
}

/**
 * What contents, and all of them, earned of the goals of a catalog over a range, of which `served` has their decisions.
 * Without goals, nothing is read.
 */
export async function goalTrends(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
  steps: Steps,
  contentIds: readonly string[],
  served: readonly CountedRow[],
): Promise<GoalTrends> {
  if (catalog.goals.length === 0) return { ofContent: () => ({}), gains: {} };
  const stored = await definitions.all(tx, workspaceId);
  const goals = countedGoals(catalog, stored);
  const rows = await goalsByTime.between(tx, workspaceId, steps, {
    contentIds: ['', ...contentIds],
    goals: goals.map(({ goal }) => goal),
  });
  const rowsOf = (contentId: string, goal: number) => {
    const since = stored.find((each) => each.goal === goal)?.since ?? 0;
    return {
      earned: rows.filter((row) => row.contentId === contentId && row.goal === goal),
      own: served.filter((row) => row.contentId === contentId && row.at >= since),
    };
  };
  return {
    ofContent: (contentId) => ({
      goals: goals.map(({ goalId, goal }) => {
        const { own, earned } = rowsOf(contentId, goal);
        const all = [...own, ...earned];
        return { goalId, total: valueAt(steps.from, all), values: pointsOf(steps, all, valueAt) };
      }),
    }),
    gains: {
      goals: goals.map(({ goalId, goal }) => {
        const { own, earned } = rowsOf('', goal);
        const all = [...own, ...earned];
        return {
          goalId,
          total: valueAt(steps.from, all),
          gain: gainUntil(steps, all, groupOf, MOST_POINTS),
        };
      }),
    },
  };
}

/** What decisions of one kind of choice earned. */
function groupOf(rows: readonly Partial<CountedRow & EarnedRow>[]): GroupSums {
  const sum = (of: 'served' | 'value' | 'squares') => rows.reduce((total, row) => total + (row[of] ?? 0), 0);
  const value = sum('value') / UNIT;
  const most = Math.max(0, ...rows.map((row) => row.most ?? 0)) / UNIT;
  // Decisions of the moment may earn before they are counted as served.
  return { served: Math.max(sum('served'), Math.ceil(value)), value, squares: sum('squares') / UNIT, most };
}

/** What decisions from a time on earned each; null without any. */
function valueAt(from: number, rows: readonly Partial<CountedRow & EarnedRow>[]): object | null {
  const { served, value, squares } = groupOf(rows);
  const mean = meanOf({ n: served, sum: value, squares });
  return (
    mean && { from: new Date(from).toISOString(), served, value: mean.rate, low: mean.low, high: mean.high }
  );
}
