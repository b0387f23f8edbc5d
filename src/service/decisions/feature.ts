import type { Catalogs } from '../catalog/follow.ts';
import type { EventSignals } from '../events/event-signals.ts';
import type { Feature } from '../http/endpoint.ts';
import type { Platform } from '../platform/platform.ts';
import type { RemovalByAge } from '../platform/store/retention/removals.ts';
import { removals } from '../platform/store/retention/removals.ts';
import { contentEndpoints } from './contents.ts';
import { decideEndpoint } from './decide.ts';
import type { DecisionSeed } from './decision-seed.ts';
import { GuardsInForce } from './goals/guards-in-force.ts';
import { goalEvents } from './goals/store/goal-events.ts';
import { goalsByTime } from './goals/store/goals-by-time.ts';
import { startGoalCounter } from './goals/worker.ts';
import { LearnedModels } from './learned-models.ts';
import { startLearner } from './learner.ts';
import { messageEndpoints } from './messages.ts';
import { rewardEndpoints } from './reward-endpoint.ts';
import { startRewardLogWriter } from './reward-log-writer.ts';
import { decisionLogEndpoints } from './routes.ts';
import { contentCounts } from './store/content-counts.ts';
import { messages } from './store/messages.ts';
import { polls } from './store/polls.ts';

/** What is removed by age. */
export const decisionRemovals: readonly RemovalByAge[] = [
  removals.ofDecisions,
  removals.decidedUsers,
  messages.purge,
  polls.purge,
  contentCounts.purge,
  goalEvents.purge,
  goalsByTime.purge,
];

/** Decide and render: the next best action, its messages and their outcomes, and what is learned from them. */
export function decisions(
  platform: Platform,
  given: { catalogs: Catalogs; signals: EventSignals; decisionSeed: DecisionSeed },
): Feature & { readonly models: LearnedModels } {
  const models = new LearnedModels(platform.log);
  const guards = new GuardsInForce(platform.store, platform.clock);
  const needs = { ...platform, ...given, models, guards };
  return {
    models,
    endpoints: {
      decide: decideEndpoint(needs),
      ...decisionLogEndpoints(given.catalogs, platform.cipher),
      ...rewardEndpoints(given.catalogs, platform.repeatable),
      ...messageEndpoints(needs),
      ...contentEndpoints(given.catalogs, models),
    },
    workers: [
      startLearner(platform, models),
      startRewardLogWriter(platform, given.catalogs),
      startGoalCounter(platform, given.catalogs),
    ],
  };
}
