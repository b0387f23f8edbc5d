import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Observe } from '../http/record-requests.ts';
import type { SteadyClock } from '../platform/limits/limiter-clock.ts';
import type { Store } from '../platform/store/store.ts';
import { countDisabled, readBacklog } from './backlog.ts';

export interface Metrics {
  readonly observe: Observe;
  /** All metrics in the Prometheus text format. */
  text(): Promise<MetricsText>;
  /** The same as values, to be added to those of other processes (addMetrics). */
  values(): Promise<MetricValues>;
  /** Those of them that only increase. Does not read the store, which may be closed. */
  counts(): Promise<MetricValues>;
}

export interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}

export type MetricValues = readonly { readonly type?: unknown }[];

/** Adds the metrics of several processes of a node. What each reads from the store counts once. */
export async function addMetrics(all: readonly MetricValues[]): Promise<MetricsText> {
  const registry = sumOf(all);
  return { contentType: registry.contentType, body: await registry.metrics() };
}

/** Adds what several processes have counted: what a gauge says of a process ends with it. */
export async function addCounts(all: readonly MetricValues[]): Promise<MetricValues> {
  return sumOf(all.map(countsOf)).getMetricsAsJSON();
}

/** The counters and histograms. */
export function countsOf(values: MetricValues): MetricValues {
  return values.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}

const sumOf = (all: readonly MetricValues[]) =>
  AggregatorRegistry.aggregate(all.map((values) => [...values]));

/** Counts the log lines of a process that is not a service itself. */
export function lineMetrics(): Pick<Observe, 'line'> & Pick<Metrics, 'values'> {
  const registry = new Registry();
  const lines = lineCounter(registry);
  return { line: (level) => lines.inc({ level }), values: () => registry.getMetricsAsJSON() };
}

function lineCounter(registry: Registry) {
  const lines = new Counter({
    name: 'svc_log_lines_total',
    help: 'Log lines written, by level',
    labelNames: ['level'],
    registers: [registry],
  });
  // Prometheus sees no increase in a series that begins with its first line.
  for (const level of ['info', 'warn', 'error']) lines.inc({ level }, 0);
  return lines;
}

/** Latency bounds in seconds: around the 100 ms that a decision may take (specification: observable timings). */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Metrics of this node, and of the due work in the store. `steady` counts ms. */
export function createMetrics(store: Store, steady: SteadyClock): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered, by endpoint and status; 429 means over the rate limit',
    labelNames: ['endpoint', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'Time from the headers of a request to its answer',
    labelNames: ['endpoint'],
    buckets: BUCKETS,
    registers,
  });
  const lines = lineCounter(registry);
  const due = new Gauge({
    name: 'svc_due_total',
    help: 'Due work of all nodes, counted up to 10,000',
    aggregator: 'max',
    labelNames: ['kind'],
    registers,
  });
  const oldest = new Gauge({
    name: 'svc_due_oldest_seconds',
    help: 'How long the oldest due work has been due',
    aggregator: 'max',
    labelNames: ['kind'],
    registers,
  });
  const disabled = new Gauge({
    name: 'svc_webhook_subscriptions_disabled',
    help: 'Webhook subscriptions of all workspaces that are disabled, counted up to 10,000',
    aggregator: 'max',
    registers,
  });
  const up = new Gauge({
    name: 'svc_store_up',
    help: '1 if the store answers, 0 if it does not',
    aggregator: 'min',
    registers,
  });
  const connections = new Gauge({
    name: 'svc_database_connections',
    help: 'Connections of this node to PostgreSQL, and requests waiting for a connection',
    labelNames: ['state'],
    registers,
  });
  const readStore = async () => {
    for (const [state, n] of Object.entries(store.connections())) connections.set({ state }, n);
    try {
      for (const backlog of await store.read((tx) => readBacklog(tx, store.workers))) {
        due.set({ kind: backlog.kind }, backlog.due);
        oldest.set({ kind: backlog.kind }, backlog.oldestMs / 1000);
      }
      disabled.set(await store.read(countDisabled));
      up.set(1);
    } catch {
      up.set(0);
    }
  };
  return {
    observe: {
      request: (endpoint) => {
        const started = steady();
        return (status) => {
          requests.inc({ endpoint, status });
          seconds.observe({ endpoint }, (steady() - started) / 1000);
        };
      },
      line: (level) => lines.inc({ level }),
    },
    text: async () => {
      await readStore();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
    values: async () => {
      await readStore();
      return registry.getMetricsAsJSON();
    },
    counts: async () => countsOf(await registry.getMetricsAsJSON()),
  };
}
