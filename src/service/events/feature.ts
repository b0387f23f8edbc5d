import type { Catalogs } from '../catalog/follow.ts';
import type { KeyWatch } from '../http/access/key-watch.ts';
import type { Feature } from '../http/endpoint.ts';
import type { Platform } from '../platform/platform.ts';
import type { Retention } from '../platform/store/retained-logs.ts';
import type { RemovalByAge } from '../platform/store/retention/removals.ts';
import { startEventIndexer } from './event-indexer.ts';
import { EventSignals } from './event-signals.ts';
import { startIdMerger } from './id-merger.ts';
import { Refusals, startRefusalWriter } from './refusals.ts';
import { eventEndpoints } from './routes.ts';
import { startSignalWriter } from './signal-writer.ts';
import { eventRuns } from './store/event-runs.ts';
import { eventViolations } from './store/event-violations.ts';
import { eventIds } from './store/ids/event-ids.ts';
import { KnownIds } from './store/ids/known-ids.ts';
import { recentEvents } from './store/recent-events.ts';
import { refusedBatches } from './store/refused-batches.ts';
import { userSignals } from './store/user-signals.ts';
import { liveEvents } from './stream/live-events.ts';
import { watchEvents } from './stream/watch-events.ts';

/** What is removed by age. */
export const eventRemovals: readonly RemovalByAge[] = [
  recentEvents.purge,
  userSignals.purge,
  eventIds.purge,
  eventRuns.purge,
  eventViolations.purge,
  refusedBatches.purge,
];

/**
 * Track: stores events, counts them for each user, keeps the index of recent ones and streams them. Streams end when
 * `stopping` fires.
 */
export function events(
  platform: Pick<Platform, 'store' | 'clock' | 'log' | 'precedence' | 'share'>,
  {
    catalogs,
    keys,
    stopping,
    retention,
  }: { catalogs: Catalogs; keys: KeyWatch; stopping: AbortSignal; retention: () => Retention },
): Feature & { readonly signals: EventSignals } {
  const signals = new EventSignals();
  const refusals = new Refusals();
  return {
    signals,
    endpoints: {
      ...eventEndpoints({ store: platform.store, catalogs, signals, refusals, known: new KnownIds() }),
      streamEvents: { stream: liveEvents(platform, stopping, keys) },
      watchEvents: { stream: watchEvents(platform, stopping, keys) },
    },
    workers: [
      startSignalWriter(platform, signals),
      startRefusalWriter(platform, refusals),
      startEventIndexer(platform, catalogs),
      startIdMerger(platform, () => retention().eventIds),
    ],
  };
}
