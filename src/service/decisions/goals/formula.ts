import type { Catalog } from '../../catalog/catalog.ts';
import type { Tx } from '../../platform/store/store.ts';
import { type Formula, type NumberedGoal, OUTCOMES } from './rules/learned-reward.ts';
import { definitions, isReady, type StoredGoal } from './store/definitions.ts';

/** What is learned of the decisions of a workspace. */
export async function formulaOf(tx: Tx, workspaceId: string, catalog: Catalog): Promise<Formula> {
  return catalog.settings.reward ? formulaBy(catalog, await definitions.all(tx, workspaceId)) : OUTCOMES;
}

/** What is learned by a catalog, with the goals as they are counted. */
export function formulaBy(catalog: Catalog, stored: readonly StoredGoal[]): Formula {
  const { reward } = catalog.settings;
  if (!reward) return OUTCOMES;
  return {
    outcomes: reward.outcomes,
    goals: countedGoals(catalog, stored).flatMap((goal) => {
      const weight = reward.goals.get(goal.goalId);
      return weight === undefined ? [] : [{ ...goal, weight }];
    }),
  };
}

/**
 * The goals of a catalog, each by the definition that is counted: until the events from before a new definition are
 * counted, that is the one before it.
 */
export function countedGoals(catalog: Catalog, stored: readonly StoredGoal[]): NumberedGoal[] {
  return catalog.goals.flatMap(({ goalId }) => {
    const all = stored.filter((each) => each.goalId === goalId);
    const counted = all.findLast(isReady) ?? all.at(-1);
    return counted ? [{ goalId, goal: counted.goal }] : [];
  });
}
