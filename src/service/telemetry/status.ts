import type { Dialect, Store, Tx, Workers } from '../platform/store/store.ts';
import { type Mode, workspaces } from '../platform/store/workspaces.ts';
import { type Backlog, countLater, readBacklog } from './backlog.ts';
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
  /** Due work, and what waits in the workspace for a retry or a time; null while the store does not answer. */
  readonly backlog: readonly (Backlog & { readonly later: number })[] | null;
  /** The processes on the store; null while it does not answer. */
  readonly nodes: readonly NodeStatus[] | null;
}

/** Reads the state of this process, which `record` lists, of the store, and of what waits in a workspace. Never rejects. */
export async function readStatus(
  store: Store,
  health: Health,
  record: NodeRecord,
  workspaceId: string,
): Promise<ServiceStatus> {
  const ready = await health.ready();
  const of = ready
    ? await store.read((tx) => readStore(tx, store.workers, record, workspaceId)).catch(() => undefined)
    : undefined;
  return {
    ready,
    backlog: of?.backlog ?? null,
    nodes: of?.nodes ?? null,
  };
}

async function readStore(
  tx: Tx,
  workers: Workers | undefined,
  record: NodeRecord,
  workspaceId: string,
): Promise<Pick<ServiceStatus, 'backlog' | 'nodes'>> {
  const backlog = [];
  for (const each of await readBacklog(tx, workers))
    backlog.push({ ...each, later: await countLater(tx, workspaceId, each.kind) });
  // Its own row may be 15 s old, and that of `local` is late.
  const self = record.self();
  const now = { startedAt: Math.round(tx.now - record.uptimeMs()), seenAt: tx.now, silent: false };
  const others = (await nodes.list(tx)).filter(({ id }) => id !== self.id);
  return {
    backlog,
    nodes: [{ ...self, ...now, self: true }, ...others.map((node) => ({ ...node, self: false }))],
  };
}

/** How a workspace is, and where its data is. */
export interface ServiceDescription {
  readonly mode: Mode;
  /** Null if the service has no regions. */
  readonly region: string | null;
  readonly engine: Dialect['name'];
  /** Size of the database, in bytes. */
  readonly bytes: number;
}

/** Reads how a workspace is, which had `mode` when the service started, and the size of the store. */
export function describe(store: Store, workspaceId: string, mode: Mode): Promise<ServiceDescription> {
  return store.read(async (tx) => {
    const found = await workspaces.get(tx, workspaceId);
    const size = await tx.sql.get<{ bytes: number }>(
      tx.sql.dialect.name === 'postgres'
        ? 'SELECT pg_database_size(current_database()) AS bytes'
        : 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
    );
    return {
      mode: found?.mode ?? mode,
      region: found?.region ?? null,
      engine: tx.sql.dialect.name,
      bytes: Number(size?.bytes ?? 0),
    };
  });
}
