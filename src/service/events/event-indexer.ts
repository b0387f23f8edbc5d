import type { Catalogs } from '../catalog/follow.ts';
import { due } from '../platform/store/due.ts';
import type { Tx } from '../platform/store/store.ts';
import { workspaces } from '../platform/store/workspaces.ts';
import { type Worker, type WorkerPlatform, worker } from '../platform/workers/worker.ts';
import { eventHeads } from './store/event-heads.ts';
import { events } from './store/events.ts';
import { type Backlog, recentEvents } from './store/recent-events.ts';

const POLL_MS = 60_000;
/** Events scanned and events indexed in one transaction: some milliseconds of work. */
const SCANNED = 20_000;
const INDEXED = 1000;
/** Index entries deleted in one transaction. */
const DELETED = 2000;
/** Workspaces marked in one transaction. */
const MARKED = 200;

/**
 * Keeps the index of recent events in line with the catalog. Ingest indexes the event names that the rules use; this
 * worker indexes, in batches, the events stored before a name was added. It continues after a restart.
 */
export function startEventIndexer(platform: WorkerPlatform, catalogs: Catalogs): Worker {
  const { store } = platform;
  const shared = () => catalogs.shared().events;
  const upToDate = async () => {
    const { names, marked } = await store.read((tx) => recentEvents.shared(tx));
    return marked === undefined && sameNames(names, shared());
  };
  const indexer = worker(platform, {
    name: 'the event indexer',
    lane: 'index',
    topics: ['settings'],
    leader: 'event indexer',
    pause: POLL_MS,
    work: (workspaceId) =>
      store.write(
        async (tx) => indexOnce(tx, workspaceId, (await catalogs.of(tx, workspaceId)).events, SCANNED),
        { bulk: true },
      ),
    // Last: it needs all workers of a distributed database.
    after: async () => {
      if (await upToDate()) return false;
      await store.write((tx) => markSome(tx, shared()), { bulk: true });
      return true;
    },
  });
  return { ...indexer, idle: async () => (await upToDate()) && (await indexer.idle()) };
}

/** Stores the names to index, and marks some of the workspaces for the change. */
async function markSome(tx: Tx, wanted: ReadonlySet<string>): Promise<void> {
  await tx.lock('event indexer');
  const shared = await recentEvents.shared(tx);
  const after = sameNames(shared.names, wanted) ? shared.marked : '';
  if (after === undefined) return;
  const ids = await workspaces.ids(tx, after, MARKED);
  for (const id of ids) await due.mark(tx, id, 'index');
  const marked = ids.length < MARKED ? {} : { marked: ids.at(-1)! };
  await recentEvents.setShared(tx, { names: [...wanted], ...marked });
}

/**
 * Runs one step for a workspace: updates the indexed names, or else indexes one batch of the backlog. Returns whether
 * more is left.
 */
export async function indexOnce(
  tx: Tx,
  workspaceId: string,
  wanted: ReadonlySet<string>,
  batch: number,
): Promise<boolean> {
  await due.clear(tx, workspaceId, 'index');
  await recentEvents.lockIndexing(tx, workspaceId);
  const more = await indexStep(tx, workspaceId, wanted, batch);
  if (more) await due.mark(tx, workspaceId, 'index');
  return more;
}

async function indexStep(
  tx: Tx,
  workspaceId: string,
  wanted: ReadonlySet<string>,
  batch: number,
): Promise<boolean> {
  const { names } = await eventHeads.get(tx, workspaceId);
  const backlog = await recentEvents.backlog(tx, workspaceId);
  if (!sameNames(names, wanted)) return changeNames(tx, workspaceId, { names, backlog }, wanted);
  if (!backlog) return false;
  const rest = await indexBatch(tx, workspaceId, backlog, batch);
  await recentEvents.setBacklog(tx, workspaceId, rest);
  return rest !== undefined;
}

/** Replaces the indexed names. Entries of names that are added or removed are deleted first, in batches. */
async function changeNames(
  tx: Tx,
  workspaceId: string,
  { names, backlog }: { readonly names: readonly string[]; readonly backlog: Backlog | undefined },
  wanted: ReadonlySet<string>,
): Promise<boolean> {
  // Names of an unfinished backlog are indexed from the start, together with the new ones.
  const added = [...wanted].filter((name) => !names.includes(name) || backlog?.names.includes(name));
  const removed = names.filter((name) => !wanted.has(name));
  for (const name of [...added, ...removed])
    if ((await recentEvents.forget(tx, workspaceId, name, DELETED)) === DELETED) return true;
  // Locks the head until the commit: earlier events are part of the backlog, later ones see the new names.
  const upTo = await eventHeads.setNames(tx, workspaceId, [...wanted]);
  const after = await events.beforeOldest(tx, workspaceId, upTo);
  const next = added.length > 0 && upTo > after ? { names: added, after, upTo } : undefined;
  await recentEvents.setBacklog(tx, workspaceId, next);
  return next !== undefined;
}

/** Indexes one batch of the backlog. Returns the rest, or undefined if nothing is left. */
async function indexBatch(
  tx: Tx,
  workspaceId: string,
  backlog: Backlog,
  batch: number,
): Promise<Backlog | undefined> {
  const last = Math.min(backlog.after + batch, backlog.upTo);
  const found = await events.named(tx, workspaceId, backlog.names, backlog.after, last, INDEXED);
  await recentEvents.add(
    tx,
    workspaceId,
    found.map(({ number, userId, event, timestamp }) => ({
      number,
      userId,
      event,
      at: Date.parse(timestamp),
    })),
  );
  const after = found.length === INDEXED ? found.at(-1)!.number : last;
  return after < backlog.upTo ? { ...backlog, after } : undefined;
}

function sameNames(names: readonly string[], wanted: ReadonlySet<string>): boolean {
  return names.length === wanted.size && names.every((name) => wanted.has(name));
}
