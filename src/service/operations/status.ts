import { type Backlog, readBacklog } from '../store/repositories/backlog.ts';
import type { Store } from '../store/store.ts';
import type { Health } from './health.ts';

/** How a process of the service is, and what waits for the workers of all nodes. */
export interface ServiceStatus {
  readonly ready: boolean;
  readonly pid: number;
  /** Seconds since the process started. */
  readonly uptimeSeconds: number;
  /** Bytes of memory that the process occupies. */
  readonly memoryBytes: number;
  /** Connections of this process to PostgreSQL by their state; empty for SQLite. */
  readonly connections: Readonly<Record<string, number>>;
  /** Due work; null while the store does not answer. */
  readonly backlog: readonly Backlog[] | null;
}

export async function readStatus(store: Store, health: Health): Promise<ServiceStatus> {
  const ready = await health.ready();
  return {
    ready,
    pid: process.pid,
    uptimeSeconds: Math.floor(process.uptime()),
    memoryBytes: process.memoryUsage.rss(),
    connections: { ...store.connections() },
    backlog: ready ? await store.read(readBacklog).catch(() => null) : null,
  };
}
