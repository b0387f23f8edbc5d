import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { SteadyClock } from '../store/limiter/limiter-clock.ts';
import { backlog } from '../store/repositories/backlog.ts';
import type { Store } from '../store/store.ts';
import type { Observe } from './observe.ts';

export interface Metrics {
  readonly observe: Observe;
  /** All of them in Prometheus' text format. */
  text(): Promise<{ contentType: string; body: string }>;
}

/** Latency bounds in seconds: around the 100 ms that a decision may take (specification: observable timings). */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** What an operator watches of one node, and what waits in the store. `steady` counts ms. */
export function createMetrics(store: Store, steady: SteadyClock): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: 'svc_http_requests_total',
    help: 'Requests answered, by endpoint and status; 429 are those over the limit',
    labelNames: ['endpoint', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'svc_http_request_duration_seconds',
    help: 'From the head of a request to its answer',
    labelNames: ['endpoint'],
    buckets: BUCKETS,
    registers,
  });
  const lines = new Counter({
    name: 'svc_log_lines_total',
    help: 'Log lines by level: errors want a look',
    labelNames: ['level'],
    registers,
  });
  const waiting = new Gauge({
    name: 'svc_due_total',
    help: 'Work of all nodes that is due and not done, up to 10,000',
    labelNames: ['kind'],
    registers,
  });
  const late = new Gauge({
    name: 'svc_due_oldest_seconds',
    help: 'How long the oldest of it has been due',
    labelNames: ['kind'],
    registers,
  });
  const up = new Gauge({ name: 'svc_store_up', help: '1 while the store answers', registers });
  const connections = new Gauge({
    name: 'svc_database_connections',
    help: 'Connections of this node to PostgreSQL, and requests that wait for one',
    labelNames: ['state'],
    registers,
  });
  const lookAtStore = async () => {
    for (const [state, n] of Object.entries(store.connections())) connections.set({ state }, n);
    try {
      for (const { kind, due, oldestMs } of await store.read(backlog)) {
        waiting.set({ kind }, due);
        late.set({ kind }, oldestMs / 1000);
      }
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
      await lookAtStore();
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
