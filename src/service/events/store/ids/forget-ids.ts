import { listedNumbers } from '../../../platform/store/listed.ts';
import { pipeline } from '../../../platform/store/pipeline.ts';
import type { Tx } from '../../../platform/store/store.ts';
import { workspaces } from '../../../platform/store/workspaces.ts';
import { eventIds, type IdRun, RUNS } from './event-ids.ts';
import {
  type BatchIds,
  blockOf,
  bytesOf,
  hashBatch,
  idKeyOf,
  idsWithinUsers,
  WORDS,
  wordsOf,
} from './id-hashes.ts';
import { idMerges } from './id-merges.ts';

/** An event that is deleted. */
interface RemovedEvent {
  readonly number: number;
  readonly userId: string;
  readonly eventId: string | null;
  readonly origin: 'client' | 'server';
}

/** Blocks that are written at a time. */
const WRITTEN = 64;

/**
 * Forgets the ids of events that are deleted, so that they may be sent again: removes their hashes from the runs of ids. The
 * filters in memory keep them, and only say that the store is to be asked. Merges wait for the end of the transaction, and
 * begin again. `removed`: events in the order of their numbers.
 */
export async function forgetIds(
  tx: Tx,
  workspaceId: string,
  removed: readonly RemovedEvent[],
): Promise<void> {
  const own = removed.filter(({ eventId }) => eventId !== null);
  if (own.length === 0) return;
  const key = idKeyOf(await workspaces.hashKey(tx, workspaceId));
  const hashes = hashesOf(key, own);
  await eventIds.lock(tx, workspaceId);
  await idMerges.giveUp(tx, workspaceId);
  /** The hashes that were not found yet, by index. */
  const sought = new Set(hashes.keys());
  // The run of an event has its number or that of a later one, with which it was merged.
  for (let from = own[0]!.number - 1; sought.size > 0; ) {
    const runs = await eventIds.since(tx, workspaceId, from);
    for (const run of runs) if (sought.size > 0) await forgetIn(tx, workspaceId, run, hashes, sought);
    if (runs.length < RUNS) return;
    from = eventIds.newestOf(runs.at(-1)!);
  }
}

/** The hash of each event's id as it was stored: within its user, if an app sent it. */
function hashesOf(key: Uint32Array, own: readonly RemovedEvent[]): Uint32Array[] {
  const [bytes, ranges] = [Buffer.from(own.map(({ eventId }) => eventId).join('')), [] as number[]];
  let end = 0;
  for (const { eventId } of own) {
    const from = end;
    end += Buffer.byteLength(eventId!);
    ranges.push(from, end);
  }
  const plain: BatchIds = { bytes, ranges, indexes: [...own.keys()] };
  const within = idsWithinUsers({ ids: () => plain, at: (i) => own[i]! })!;
  const [ofServers, ofApps] = [plain, within].map((ids) => hashBatch(key, ids).hashes);
  return own.map(({ origin }, i) =>
    (origin === 'client' ? ofApps : ofServers)!.slice(WORDS * i, WORDS * (i + 1)),
  );
}

/** Removes the sought hashes from a run, and from those that are sought. */
async function forgetIn(
  tx: Tx,
  workspaceId: string,
  { run, ids, blocks, hashes: whole }: IdRun,
  hashes: readonly Uint32Array[],
  sought: Set<number>,
): Promise<void> {
  const before = sought.size;
  if (blocks === 0) {
    const kept = without(wordsOf(whole!), hashes, sought);
    if (sought.size < before)
      await tx.sql.run('UPDATE event_id_run SET hashes = ? WHERE workspace_id = ? AND run = ?', [
        bytesOf(kept),
        workspaceId,
        run,
      ]);
  } else {
    const wanted = new Set([...sought].map((i) => blockOf(hashes[i]![0]!, blocks)));
    const { text, param } = listedNumbers(tx.sql.dialect, 'block', [...wanted]);
    const rows = await tx.sql.all<{ block: number; hashes: Uint8Array }>(
      `SELECT block, hashes FROM event_id_block WHERE workspace_id = ? AND run = ? AND ${text} ORDER BY block`,
      [workspaceId, run, param],
    );
    const changed: { block: number; kept: Uint32Array }[] = [];
    for (const { block, hashes: stored } of rows) {
      const words = wordsOf(stored);
      const kept = without(words, hashes, sought);
      if (kept.length < words.length) changed.push({ block: Number(block), kept });
    }
    for (let at = 0; at < changed.length; at += WRITTEN)
      await pipeline(
        changed
          .slice(at, at + WRITTEN)
          .map(({ block, kept }) =>
            tx.sql.run(
              'UPDATE event_id_block SET hashes = ? WHERE workspace_id = ? AND run = ? AND block = ?',
              [bytesOf(kept), workspaceId, run, block],
            ),
          ),
      );
  }
  const left = ids - (before - sought.size);
  if (left < ids) await eventIds.setSize(tx, workspaceId, run, left);
}

/** Stored hashes without the sought ones, which are no longer sought then. */
function without(stored: Uint32Array, hashes: readonly Uint32Array[], sought: Set<number>): Uint32Array {
  const byWord = new Map<number, number[]>();
  for (const i of sought) {
    const word = hashes[i]![1]!;
    byWord.set(word, [...(byWord.get(word) ?? []), i]);
  }
  const kept = new Uint32Array(stored.length);
  let end = 0;
  for (let at = 0; at < stored.length; at += WORDS) {
    const found = byWord
      .get(stored[at + 1]!)
      ?.find((i) => sought.has(i) && hashes[i]![0] === stored[at] && hashes[i]![2] === stored[at + 2]);
    if (found !== undefined) sought.delete(found);
    else {
      kept.set(stored.subarray(at, at + WORDS), end);
      end += WORDS;
    }
  }
  return kept.slice(0, end);
}
