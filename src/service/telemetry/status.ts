import type { Store, Tx, Workers } from '../platform/store/store.ts';
import { type Backlog, readBacklog } from './backlog.ts';
import type { Health } from './health.ts';
import type { NodeRecord } from './node-record.ts';
import { nodes, type SeenNode } from './nodes.ts';

/** A process of the service, as it last said. */
interface NodeStatus extends SeenNode {
  /** True for the process that answers. */
  readonly self: boolean;
}

/** How a process of the service is, what waits for the workers of all nodes, and which nodes there are. */
export interface ServiceStatus {
  readonly ready: boolean;
  /** Bytes of memory that the process occupies. */
  readonly memoryBytes: number;
  /** Connections of this process to PostgreSQL by their state; empty for SQLite. */
  readonly connections: Readonly<Record<string, number>>;
  /** Due work; null while the store does not answer. */
  readonly backlog: readonly Backlog[] | null;
  /** The processes on the store; null while it does not answer. */
  readonly nodes: readonly NodeStatus[] | null;
}

/** Reads the state of this process, which `record` lists, and of the store. Never rejects. */
export async function readStatus(store: Store, health: Health, record: NodeRecord): Promise<ServiceStatus> {
  const ready = await health.ready();
  const of = ready
    ? await store.read((tx) => readStore(tx, store.workers, record)).catch(() => undefined)
    : undefined;
  return {
    ready,
    memoryBytes: process.memoryUsage.rss(),
    connections: { ...store.connections() },
    backlog: of?.backlog ?? null,
    nodes: of?.nodes ?? null,
  };
}

async function readStore(
  tx: Tx,
  workers: Workers | undefined,
  record: NodeRecord,
): Promise<Pick<ServiceStatus, 'backlog' | 'nodes'>> {
  const backlog = await readBacklog(tx, workers);
  // Its own row may be 15 s old, and that of `local` is late.
  const self = record.self();
  const now = { startedAt: Math.round(tx.now - record.uptimeMs()), seenAt: tx.now, silent: false };
  const others = (await nodes.list(tx)).filter(({ id }) => id !== self.id);
  return {
    backlog,
    nodes: [{ ...self, ...now, self: true }, ...others.map((node) => ({ ...node, self: false }))],
  };
}
