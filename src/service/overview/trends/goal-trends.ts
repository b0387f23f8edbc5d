import type { Catalog } from '../../catalog/catalog.ts';
import { countedGoals } from '../../decisions/goals/formula.ts';
import { UNIT } from '../../decisions/goals/rules/attribution.ts';
import { definitions } from '../../decisions/goals/store/definitions.ts';
import { type EarnedRow, goalsByTime } from '../../decisions/goals/store/goals-by-time.ts';
import { meanOf } from '../../platform/intervals.ts';
import type { Tx } from '../../platform/store/store.ts';
import { pointsOf } from './decision-trend.ts';
import type { Steps } from './steps.ts';
import type { CountedRow } from './store.ts';

/** What contents earned of the goals of a catalog over a range, of which `served` has their decisions. Without goals, nothing is read. */
export async function goalTrends(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
  steps: Steps,
  contentIds: readonly string[],
  served: readonly CountedRow[],
): Promise<(contentId: string) => { goals?: object[] }> {
  if (catalog.goals.length === 0) return () => ({});
  const stored = await definitions.all(tx, workspaceId);
  const goals = countedGoals(catalog, stored);
  const rows = await goalsByTime.between(tx, workspaceId, steps, {
    contentIds,
    goals: goals.map(({ goal }) => goal),
  });
  return (contentId) => ({
    goals: goals.map(({ goalId, goal }) => {
      const since = stored.find((each) => each.goal === goal)?.since ?? 0;
      const earned = rows.filter((row) => row.contentId === contentId && row.goal === goal);
      const own = served.filter((row) => row.contentId === contentId && row.at >= since);
      const all = [...own, ...earned];
      return { goalId, total: valueAt(steps.from, all), values: pointsOf(steps, all, valueAt) };
    }),
  });
}

/** What decisions from a time on earned each; null without any. */
function valueAt(from: number, rows: readonly Partial<CountedRow & EarnedRow>[]): object | null {
  const sum = (of: 'served' | 'value' | 'squares') => rows.reduce((total, row) => total + (row[of] ?? 0), 0);
  const value = sum('value') / UNIT;
  // Decisions of the moment may earn before they are counted as served.
  const served = Math.max(sum('served'), Math.ceil(value));
  const mean = meanOf({ n: served, sum: value, squares: sum('squares') / UNIT });
  return (
    mean && { from: new Date(from).toISOString(), served, value: mean.rate, low: mean.low, high: mean.high }
  );
}
