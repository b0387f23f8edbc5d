import { ServiceError } from '../../contract/errors.ts';
import type { Catalog } from '../catalog/catalog.ts';
import type { Catalogs } from '../catalog/follow.ts';
import { eventHeads } from '../events/store/event-heads.ts';
import type { Endpoints } from '../http/endpoint.ts';
import type { Tx } from '../platform/store/store.ts';
import { countValues } from './goals/count-values.ts';
import { defineGoals } from './goals/define-goals.ts';
import { formulaOf } from './goals/formula.ts';
import { changedParts, rewardOf } from './goals/rules/learned-reward.ts';
import { definitions } from './goals/store/definitions.ts';
import { startCounting } from './start-counting.ts';
import { earnings } from './store/earnings.ts';
import { rewards } from './store/rewards.ts';

/** Goals whose rewards are reported for one decision, at most; the catalog may have had others. */
const MAX_GIVEN = 40;

/** Rewards that are reported from outside. */
export const rewardEndpoints = (catalogs: Catalogs, repeatable: boolean): Endpoints => ({
  rewardDecision: {
    priority: 'interactive',
    concurrencyKeys: ({ params }) => [{ key: `message ${params.decisionId!}` }],
    handle: async ({ tx, workspace, params, body, requestId }) => {
      const { value, goalId = '' } = body;
      const catalog = await catalogs.of(tx, workspace.id);
      if (goalId !== '' && !catalog.goals.some((goal) => goal.goalId === goalId))
        throw new ServiceError('invalid_request', undefined, [
          { field: 'goalId', message: 'is not a goal of the catalog' },
        ]);
      if (goalId !== '') await prepareCounting(tx, workspace.id, catalog);
      const decision = await earnings.lockForUpdate(tx, workspace.id, params.decisionId!);
      if (!decision || decision.contentId === null)
        throw new ServiceError('not_found', 'No decision with a content has this identifier.');
      const given = { ...decision.given, [goalId]: value };
      if (Object.keys(given).length > MAX_GIVEN)
        throw new ServiceError('conflict', `Rewards of ${MAX_GIVEN} goals were reported for this decision.`);
      await earnings.setGiven(tx, workspace.id, decision.decisionId, given);
      if (goalId !== '') await countValues(tx, workspace.id, [decision], [{ ...decision, given }], true);
      const formula = await formulaOf(tx, workspace.id, catalog);
      const reward = rewardOf(formula, { ...decision, given });
      if (decision.countedAt === null)
        await startCounting({ tx, workspace }, { catalog, repeatable: false }, decision);
      // Until the decision has an entry in the reward log, its writer reads what was reported.
      if (repeatable || decision.reward !== null)
        await rewards.record(tx, workspace.id, decision, {
          reward,
          earned: decision.earned ?? 0,
          parts: changedParts(formula, decision, { ...decision, given }),
        });
      return { body: { decisionId: decision.decisionId, reward, requestId } };
    },
  },
});

/** What goals earn is counted by one transaction at a time, for definitions that are stored. */
async function prepareCounting(tx: Tx, workspaceId: string, catalog: Catalog): Promise<void> {
  await definitions.lockForUpdate(tx, workspaceId);
  const { number: newest } = await eventHeads.get(tx, workspaceId);
  await defineGoals(tx, workspaceId, catalog, newest);
}
