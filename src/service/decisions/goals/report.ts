import { meanOf } from '../../../kit/intervals.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { eventHeads } from '../../events/store/event-heads.ts';
import type { Tx } from '../../platform/store/store.ts';
import { type CountedPolicy, contentCounts } from '../store/content-counts.ts';
import { countedGoals } from './formula.ts';
import { UNIT } from './rules/attribution.ts';
import { type GroupSums, gainOf } from './rules/gain-interval.ts';
import { horizonOf } from './rules/guard.ts';
import { definitions } from './store/definitions.ts';
import { type GoalCount, goalCounts } from './store/goal-counts.ts';
import { guards } from './store/guards.ts';

/** What was earned of a goal, as answers have it. */
export interface GoalFigures {
  readonly served: number;
  readonly conversions: number;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

type Counted = GoalCount & { readonly earlier: number };

/** What each of some contents earned of the goals of a catalog, by identifier. Without goals, nothing is read. */
export async function goalsOfContents(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
  served: ReadonlyMap<string, number>,
): Promise<(contentId: string) => { goals?: (GoalFigures & { goalId: string })[] }> {
  if (catalog.goals.length === 0) return () => ({});
  const inForce = countedGoals(catalog, await definitions.all(tx, workspaceId));
  const rows = await goalCounts.of(tx, workspaceId, [...served.keys()]);
  const byContent = new Map<string, Counted[]>();
  for (const row of rows) byContent.set(row.contentId, [...(byContent.get(row.contentId) ?? []), row]);
  return (contentId) => ({
    goals: inForce.map(({ goalId, goal }) => {
      const counted = (byContent.get(contentId) ?? []).filter((row) => row.goal === goal);
      return { goalId, ...figuresOf(served.get(contentId) ?? 0, counted) };
    }),
  });
}

/** The goals of a catalog whose guards took contents out of choice, by content. Without guards, nothing is read. */
export async function guardedBy(
  tx: Tx,
  workspaceId: string,
  catalog: Catalog,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const byContent = new Map<string, string[]>();
  if (catalog.guards.length === 0) return byContent;
  for (const { goalId, contentId } of await guards.takenOut(tx, workspaceId))
    if (catalog.guards.some((goal) => goal.goalId === goalId))
      byContent.set(contentId, [...(byContent.get(contentId) ?? []), goalId]);
  return byContent;
}

/** How far each goal of a catalog is counted, what it earned, and the gain of the learned choice over the holdout group. */
export async function goalStates(tx: Tx, workspaceId: string, catalog: Catalog): Promise<object[]> {
  if (catalog.goals.length === 0) return [];
  const stored = await definitions.all(tx, workspaceId);
  const { number: newest } = await eventHeads.get(tx, workspaceId);
  const rows = await goalCounts.of(tx, workspaceId, ['']);
  const total = await contentCounts.total(tx, workspaceId, '');
  const inForce = countedGoals(catalog, stored);
  const takenOut = catalog.guards.length > 0 ? await guards.takenOut(tx, workspaceId) : [];
  return catalog.goals.map(({ goalId, definition, guard, withinMs }) => {
    const defined = stored.find((each) => each.definition === definition);
    const goal = inForce.find((each) => each.goalId === goalId)?.goal;
    const of = (policy: CountedPolicy) => ({
      served: total.find((each) => each.policy === policy)?.served ?? 0,
      counted: rows.filter((row) => row.goal === goal && row.policy === policy),
    });
    const [learned, holdout, weights] = [of('learned'), of('holdout'), of('weights')];
    const [first, end] = [defined?.firstNumber ?? 0, defined?.readyNumber ?? newest];
    return {
      goalId,
      progress: defined && defined.number >= end ? 1 : shareOf(defined?.number ?? first, first, end),
      behind: newest - (defined?.number ?? 0),
      events: defined?.events ?? 0,
      clipped: defined?.clipped ?? 0,
      unreadable: defined?.unreadable ?? 0,
      since: defined?.since ? new Date(defined.since).toISOString() : null,
      byPolicy: {
        learned: figuresOf(learned.served, learned.counted),
        holdout: figuresOf(holdout.served, holdout.counted),
        weights: figuresOf(weights.served, weights.counted),
      },
      ...(guard
        ? {
            guard: {
              worseThan: guard.worseThan,
              upTo: new Date(horizonOf(withinMs, tx.now)).toISOString(),
              takenOut: takenOut
                .filter((each) => each.goalId === goalId)
                .map(({ contentId, at, value, holdout }) => ({
                  contentId: contentId === '' ? null : contentId,
                  since: new Date(at).toISOString(),
                  value,
                  holdout,
                })),
            },
          }
        : {}),
      gain: gainOf(groupOf(learned.served, learned.counted), groupOf(holdout.served, holdout.counted)),
    };
  });
}

const shareOf = (at: number, from: number, to: number) => (to > from ? (at - from) / (to - from) : 0);

const sum = (rows: readonly Counted[], of: (row: Counted) => number) =>
  rows.reduce((total, row) => total + of(row), 0);

/** Decisions that a goal counts. Those of the moment may earn before they are counted as served. */
const servedOf = (served: number, counted: readonly Counted[]) =>
  Math.max(
    sum(counted, ({ converted }) => converted),
    served - sum(counted, ({ earlier }) => earlier),
  );

function figuresOf(served: number, counted: readonly Counted[]): GoalFigures {
  const conversions = sum(counted, ({ converted }) => converted);
  const of = servedOf(served, counted);
  const mean = meanOf({
    n: of,
    sum: sum(counted, ({ value }) => value) / UNIT,
    squares: sum(counted, ({ squares }) => squares) / UNIT,
  });
  return {
    served: of,
    conversions,
    value: mean?.rate ?? null,
    low: mean?.low ?? null,
    high: mean?.high ?? null,
  };
}

const groupOf = (served: number, counted: readonly Counted[]): GroupSums => ({
  served: servedOf(served, counted),
  value: sum(counted, ({ value }) => value) / UNIT,
  squares: sum(counted, ({ squares }) => squares) / UNIT,
  most: Math.max(0, ...counted.map(({ most }) => most)) / UNIT,
});
