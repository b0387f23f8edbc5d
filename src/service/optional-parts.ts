import type { Clock } from '../kit/clock.ts';
import type { SteadyClock } from './platform/limits/limiter-clock.ts';
import type { Log } from './platform/log.ts';
import type { Store } from './platform/store/store.ts';
import type { TracingSettings } from './platform/tracing/settings.ts';

/** Imported on demand: most services run without metrics. */
export async function loadMetrics(store: Store, steady: SteadyClock) {
  const { createMetrics } = await import('./telemetry/metrics.ts');
  return createMetrics(store, steady);
}

/** Imported on demand: the packages of OpenTelemetry are large. */
export async function loadTracing(settings: TracingSettings, log: Log) {
  const { exportTraces } = await import('./platform/tracing/export.ts');
  return exportTraces(settings, log);
}

/** Loads fault injection only if it is used. Throws FaultsError. */
export async function loadFaults(path: string, clock: Clock, log: Log) {
  const { injectFaults } = await import('./faults/inject.ts');
  return injectFaults(path, clock, log);
}
