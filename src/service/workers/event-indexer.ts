import type { ServiceDeps } from '../runtime/deps.ts';
import { events, INDEX_LOCK } from '../store/repositories/events.ts';
import { type EventIndex, type RecentEvent, recentEvents } from '../store/repositories/recent-events.ts';
import type { Tx } from '../store/store.ts';
import { repeat, type Worker, wokenBy } from './worker.ts';

const POLL_MS = 60_000;
/** Events scanned and events indexed in one transaction: some milliseconds of work. */
const SCANNED = 20_000;
const INDEXED = 1000;
/** Index entries deleted in one transaction. */
const DELETED = 2000;

/** The part of the event log that has yet to be indexed. */
type Backlog = NonNullable<EventIndex['backlog']>;

/**
 * Keeps the index of recent events in line with the catalog. Ingest indexes the event names that the rules use; this
 * worker indexes, in batches, the events stored before a name was added. It continues after a restart.
 */
export function startEventIndexer({ store, clock, log, catalog }: ServiceDeps): Worker {
  const upToDate = async () => {
    const { names, backlog } = await store.read((tx) => recentEvents.index(tx));
    return backlog === null && sameNames(names, catalog().events);
  };
  const loop = repeat('the event indexer', clock, log, POLL_MS, async () => {
    if (await upToDate()) return false;
    if (!(await store.leads('event indexer'))) return false;
    return store.write((tx) => indexOnce(tx, catalog().events, SCANNED));
  });
  const worker = wokenBy(store, 'settings', loop);
  return { ...worker, idle: async () => (await worker.idle()) && (await upToDate()) };
}

/** Runs one step: updates the indexed names, or else indexes one batch of the backlog. Returns whether more is left. */
export async function indexOnce(tx: Tx, wanted: ReadonlySet<string>, batch: number): Promise<boolean> {
  await tx.lock('event indexer');
  const index = await recentEvents.index(tx);
  if (!sameNames(index.names, wanted)) return changeNames(tx, index, wanted);
  if (!index.backlog) return false;
  const backlog = await indexBatch(tx, index.backlog, batch);
  await recentEvents.setIndex(tx, { names: index.names, backlog });
  return backlog !== null;
}

/** Replaces the indexed names. Entries of names that are added or removed are deleted first, in batches. */
async function changeNames(
  tx: Tx,
  { names, backlog }: EventIndex,
  wanted: ReadonlySet<string>,
): Promise<boolean> {
  // Excludes ingest until the commit: earlier events are part of the backlog, later ones see the new names.
  await tx.lock(INDEX_LOCK);
  // Names of an unfinished backlog are indexed from the start, together with the new ones.
  const added = [...wanted].filter((name) => !names.includes(name) || backlog?.names.includes(name));
  const removed = names.filter((name) => !wanted.has(name));
  for (const name of [...added, ...removed])
    if ((await recentEvents.forget(tx, name, DELETED)) === DELETED) return true;
  const upTo = await events.settled(tx);
  const next = added.length > 0 && upTo > 0 ? { names: added, after: 0, upTo } : null;
  await recentEvents.setIndex(tx, { names: [...wanted], backlog: next });
  return next !== null;
}

/** Indexes one batch of the backlog. Returns the rest, or null if nothing is left. */
async function indexBatch(tx: Tx, backlog: Backlog, batch: number): Promise<Backlog | null> {
  const last = Math.min(backlog.after + batch, backlog.upTo);
  const found = await events.named(tx, backlog.names, backlog.after, last, INDEXED);
  const byWorkspace = new Map<string, RecentEvent[]>();
  for (const { workspaceId, userId, event, timestamp } of found) {
    const entries = byWorkspace.get(workspaceId) ?? [];
    entries.push({ userId, event, at: Date.parse(timestamp) });
    byWorkspace.set(workspaceId, entries);
  }
  for (const [workspaceId, entries] of byWorkspace) await recentEvents.add(tx, workspaceId, entries);
  const after = found.length === INDEXED ? Number(found.at(-1)!.seq) : last;
  return after < backlog.upTo ? { ...backlog, after } : null;
}

function sameNames(names: readonly string[], wanted: ReadonlySet<string>): boolean {
  return names.length === wanted.size && names.every((name) => wanted.has(name));
}
