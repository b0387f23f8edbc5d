import type { ServiceDeps } from '../runtime/deps.ts';
import { events, INDEX_LOCK } from '../store/repositories/events.ts';
import { type EventIndex, type RecentEvent, recentEvents } from '../store/repositories/recent-events.ts';
import type { Tx } from '../store/store.ts';
import { repeat, type Worker } from './worker.ts';

const PAUSE_MS = 60_000;
/** Events looked through in one transaction, and brought in by it: some milliseconds of work. */
const CHUNK = 20_000;
const BROUGHT_IN = 1000;
/** Indexed events forgotten in one transaction. */
const FORGOTTEN = 2000;

/**
 * Keeps the index of recent events in step with the catalogue: names that its rules begin to ask about are indexed
 * from then on by ingest, and here, piece by piece, for what came before. A stop in between is taken up again.
 */
export function startEventIndexer({ store, clock, log, catalog: catalogue }: ServiceDeps): Worker {
  const inStep = ({ names, backlog }: EventIndex) => backlog === null && sameNames(names, catalogue().events);
  const worker = repeat('the event indexer', clock, log, PAUSE_MS, async () => {
    if (inStep(await store.read((tx) => recentEvents.index(tx)))) return false;
    if (!(await store.leads('event indexer'))) return false;
    return store.write((tx) => indexOnce(tx, catalogue().events, CHUNK));
  });
  const unsubscribe = store.subscribe('settings', () => worker.wake());
  return {
    ...worker,
    idle: async () => (await worker.idle()) && inStep(await store.read((tx) => recentEvents.index(tx))),
    stop: () => {
      unsubscribe();
      return worker.stop();
    },
  };
}

/** Takes up changed names, then one piece of the backlog. Returns whether more is left. */
export async function indexOnce(tx: Tx, wanted: ReadonlySet<string>, chunk: number): Promise<boolean> {
  await tx.lock('event indexer');
  const { names, backlog } = await recentEvents.index(tx);
  if (!sameNames(names, wanted)) {
    // From here to the commit nothing is ingested: what comes before is settled, what comes after knows the new names.
    await tx.lock(INDEX_LOCK);
    // What an unfinished backlog has not brought in yet is brought in whole, with the new names.
    const unfinished = (backlog?.names ?? []).filter((name) => wanted.has(name));
    const added = [...wanted].filter((name) => !names.includes(name) || unfinished.includes(name));
    for (const name of [...added, ...names.filter((name) => !wanted.has(name))])
      if ((await recentEvents.forget(tx, name, FORGOTTEN)) === FORGOTTEN) return true;
    const upTo = await events.settled(tx);
    const next = added.length > 0 && upTo > 0 ? { names: added, after: 0, upTo } : null;
    await recentEvents.setIndex(tx, { names: [...wanted], backlog: next });
    return next !== null;
  }
  if (!backlog) return false;
  const last = Math.min(backlog.after + chunk, backlog.upTo);
  const found = await events.named(tx, backlog.names, backlog.after, last, BROUGHT_IN);
  const end = found.length === BROUGHT_IN ? Number(found.at(-1)!.seq) : last;
  const byWorkspace = new Map<string, RecentEvent[]>();
  for (const { workspaceId, userId, event, timestamp } of found) {
    const own = byWorkspace.get(workspaceId) ?? [];
    own.push({ userId, event, at: Date.parse(timestamp) });
    byWorkspace.set(workspaceId, own);
  }
  for (const [workspaceId, own] of byWorkspace) await recentEvents.add(tx, workspaceId, own);
  const rest = end < backlog.upTo ? { ...backlog, after: end } : null;
  await recentEvents.setIndex(tx, { names, backlog: rest });
  return rest !== null;
}

function sameNames(names: readonly string[], wanted: ReadonlySet<string>): boolean {
  return names.length === wanted.size && names.every((name) => wanted.has(name));
}
