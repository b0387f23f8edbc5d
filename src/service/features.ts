import type { Catalogs } from './catalog/follow.ts';
import { catalogEndpoints } from './catalog/routes.ts';
import { clockEndpoints } from './clock/routes.ts';
import { decisionSeeds } from './decisions/decision-seed.ts';
import { decisionRemovals, decisions } from './decisions/feature.ts';
import { goalNotices } from './decisions/goals/goal-notices.ts';
import { erasure, erasureRemovals } from './erasure/feature.ts';
import { eventRemovals, events } from './events/feature.ts';
import { planNotices } from './events/plan-notices.ts';
import { exportEndpoints } from './export/routes.ts';
import type { IsProxy } from './http/access/client-address.ts';
import type { KeyWatch } from './http/access/key-watch.ts';
import type { Feature } from './http/endpoint.ts';
import type { LatestAnswers } from './http/latest-answers.ts';
import { notificationRemovals, notifications } from './notifications/feature.ts';
import type { Channels } from './notifications/providers/settings.ts';
import { latestMessageEndpoints } from './overview/latest-messages.ts';
import { latestUserEndpoints } from './overview/latest-users.ts';
import { overviewEndpoints } from './overview/routes.ts';
import { trendEndpoints } from './overview/trends/routes.ts';
import type { post } from './platform/egress/post.ts';
import type { Limiter } from './platform/limits/limiter.ts';
import type { Platform } from './platform/platform.ts';
import type { Policy } from './platform/settings.ts';
import { idempotency } from './platform/store/idempotency.ts';
import type { Retention } from './platform/store/retained-logs.ts';
import type { RemovalByAge } from './platform/store/retention/removals.ts';
import { startJanitor } from './retention/janitor.ts';
import { startPartitionMaintainer } from './retention/partition-maintainer.ts';
import { timelineEndpoints } from './timeline/routes.ts';
import { userEndpoints } from './users/routes.ts';
import { contacts } from './users/store/contacts.ts';
import { webhookRemovals, webhooks } from './webhooks/feature.ts';

/** What the features remove by age (retention/janitor.ts). */
export const REMOVALS_BY_AGE: readonly RemovalByAge[] = [
  idempotency.purge,
  contacts.purge,
  ...eventRemovals,
  ...decisionRemovals,
  ...notificationRemovals,
  ...webhookRemovals,
  ...erasureRemovals,
];

/** What the features need beside the platform. */
export interface FeatureNeeds {
  /** The current catalogs of contents and templates. */
  readonly catalogs: Catalogs;
  /** The configured policy, which the store shares with every process. */
  readonly policy: () => Policy;
  /** How long the logs are kept, at least as long as the rules of the catalog read them. */
  readonly retention: () => Retention;
  readonly channels: Channels;
  /** The file to which notifications go where no provider is called. */
  readonly outboxFile: string;
  /** Address of this service as others reach it (SVC_PUBLIC_URL), without a slash at its end. */
  readonly publicUrl: string | undefined;
  readonly limiter: Limiter;
  /** Receipts per window and workspace. */
  readonly receiptsLimit: number;
  /** The addresses whose X-Forwarded-For is believed. */
  readonly isProxy: IsProxy;
  readonly keys: KeyWatch;
  /** Fires when the service stops: endless streams end. */
  readonly stopping: AbortSignal;
  readonly seed: string | undefined;
  /** How long the latest decisions took. */
  readonly decided: LatestAnswers;
  /** Replaces how a webhook delivery is sent, to inject faults. */
  readonly deliver: typeof post | undefined;
}

/** The features of the service, each with what it needs of the others. */
export function openFeatures(platform: Platform, needs: FeatureNeeds): readonly Feature[] {
  const { catalogs, policy, retention } = needs;
  const track = events(platform, needs);
  const decide = decisions(platform, {
    catalogs,
    signals: track.signals,
    decisionSeed: decisionSeeds(needs.seed),
  });
  return [
    track,
    decide,
    notifications(platform, needs),
    webhooks(platform, { policy, retention, send: needs.deliver }),
    { endpoints: userEndpoints(platform.cipher) },
    { endpoints: catalogEndpoints(() => policy().retain, [goalNotices, planNotices]) },
    { endpoints: clockEndpoints(retention) },
    { endpoints: timelineEndpoints(platform.cipher, catalogs) },
    {
      endpoints: {
        ...overviewEndpoints(needs),
        ...trendEndpoints(catalogs),
        ...latestMessageEndpoints(catalogs),
        ...latestUserEndpoints(platform.cipher),
      },
    },
    { endpoints: exportEndpoints },
    erasure(platform, { catalogs, models: decide.models, outboxFile: needs.outboxFile }),
    {
      workers: [
        startJanitor(platform, retention, REMOVALS_BY_AGE),
        startPartitionMaintainer(platform, retention),
      ],
    },
  ];
}
