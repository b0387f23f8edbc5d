import { setTimeout } from 'node:timers/promises';
import type { Store, Tx } from '../../../platform/store/store.ts';
import { workspaces } from '../../../platform/store/workspaces.ts';
import { type BlockRange, eventIds, type IdRun, LEVELS, RUNS } from './event-ids.ts';
import { IdFilter } from './id-filter.ts';
import { type BatchIds, blockOf, type HashedIds, hashBatch, idKeyOf, WORDS, wordsOf } from './id-hashes.ts';

/** Filters of all workspaces, in bytes: those used least recently are dropped. A single one may exceed it by its last part. */
const MAX_BYTES = 256 * 1024 * 1024;
/** Blocks that are read at a time: 1 MB. */
const LOADED_BLOCKS = 256;
/** Blocks that are searched at a time: those of few ids in all runs, or of many in some, 30 MB. */
const SEARCHED = 8192;
/** How long a batch waits for the filter, in ms. */
const WAIT_MS = 5000;
/** Runs without blocks after which the merge is due. */
const MERGED = 16;

/** What this process knows of the ids of a workspace. */
interface Known {
  readonly key: Uint32Array;
  /** Has all hashes of the runs up to the event `upTo`, and perhaps more. */
  readonly filter: IdFilter;
  upTo: number;
  /** More was stored by others than a batch reads: it is loaded further before the next one. */
  isBehind: boolean;
  /** Runs without blocks since the last mark for a merge. */
  unmerged: number;
}

/** The event ids of a batch under the lock of the workspace's head. */
export interface FoundIds {
  /** The indexes of events whose id an earlier event has. */
  readonly repeated: ReadonlySet<number>;
  /** The hashes of the new ids. */
  readonly hashes: Uint32Array;
  /** Call it after the commit: what the transaction read, and stored up to this number, is then known to be stored. */
  readonly committed: (number: number) => void;
  /** True if runs are to be merged. */
  readonly mergeDue: boolean;
}

/**
 * Finds which event ids of a batch were stored before. A filter in memory says of most new ids that they are new; the store
 * decides on the others. The numbers of events are in commit order and the head of the workspace is locked, so what other
 * processes stored is found by its number.
 */
export class KnownIds {
  readonly #known = new Map<string, Known>();
  readonly #loading = new Map<string, Promise<void>>();

  /**
   * Loads the filter of a workspace, in pieces, unless it is loaded (about 1 s for a million ids: bench/event-ids.ts). Resolves
   * after WAIT_MS at the latest: without it, the store decides.
   */
  prepare(store: Pick<Store, 'read'>, workspaceId: string): Promise<void> | undefined {
    if (this.#known.get(workspaceId)?.isBehind === false) return undefined;
    let loading = this.#loading.get(workspaceId);
    if (!loading) {
      loading = this.#load(store, workspaceId).finally(() => this.#loading.delete(workspaceId));
      this.#loading.set(workspaceId, loading);
    }
    return Promise.race([loading, setTimeout(WAIT_MS, undefined, { ref: false })]);
  }

  /** Hashes the ids of a batch, before the lock is held. Undefined without a filter. */
  hash(workspaceId: string, batch: BatchIds): HashedIds | undefined {
    const known = this.#known.get(workspaceId);
    return known && hashBatch(known.key, batch);
  }

  /**
   * Reads the runs that other processes, or transactions of this one that were not known to be committed, stored. Call it
   * under the lock of the workspace's head, or behind the statement that takes it. Undefined without a filter.
   */
  unknownRuns(tx: Tx, workspaceId: string): Promise<IdRun[]> | undefined {
    const known = this.#known.get(workspaceId);
    return known && eventIds.since(tx, workspaceId, known.upTo);
  }

  /**
   * Finds the repeated ids of a batch. The caller holds the lock of the workspace's head, `newest` was its number, and
   * `hashed` and `runs` are what `hash` and `unknownRuns` returned.
   */
  async find(
    tx: Tx,
    workspaceId: string,
    newest: number,
    batch: BatchIds,
    hashed: HashedIds | undefined,
    runs: readonly IdRun[] | undefined,
  ): Promise<FoundIds> {
    let known = this.#known.get(workspaceId);
    // Without a filter, the store decides on all ids. Numbers that went back are of other data.
    if (known && known.upTo > newest) {
      this.#known.delete(workspaceId);
      known = undefined;
    }
    if (!runs) known = undefined;
    // What was committed since the runs were read is among them, but nothing before `upTo` is.
    const since = known && runs ? runs.filter(({ run }) => Math.floor(run / LEVELS) > known!.upTo) : [];
    if (known && (runs?.length === RUNS || since.some(({ blocks }) => blocks > 0))) {
      known.isBehind = true;
      known = undefined;
    }
    if (known) for (const { hashes } of since) known.filter.add(wordsOf(hashes!));

    const { indexes } = batch;
    const { hashes, repeated } =
      known && hashed ? hashed : hashBatch(known?.key ?? (await keyOf(tx, workspaceId)), batch);
    const again = new Set(repeated);
    const sought: number[] = [];
    for (let i = 0; i < indexes.length; i++)
      if (!again.has(i) && (known?.filter.has(hashes, WORDS * i) ?? true)) sought.push(i);
    if (sought.length > 0) for (const i of await search(tx, workspaceId, hashes, sought)) again.add(i);
    const fresh = again.size === 0 ? hashes : hashes.filter((_, at) => !again.has(Math.floor(at / WORDS)));
    return {
      repeated: new Set([...again].map((i) => indexes[i]!)),
      hashes: fresh,
      mergeDue: known !== undefined && known.unmerged + since.length + 1 >= MERGED,
      committed: (number) => {
        if (!known || number <= known.upTo) return;
        known.filter.add(fresh);
        known.unmerged = (known.unmerged + since.length + 1) % MERGED;
        known.upTo = number;
      },
    };
  }

  async #load(store: Pick<Store, 'read'>, workspaceId: string): Promise<void> {
    const key = await store.read((tx) => keyOf(tx, workspaceId));
    const behind = this.#known.get(workspaceId);
    const list = async () => {
      const runs = await store.read((tx) => eventIds.runs(tx, workspaceId));
      return runs.filter(({ run }) => Math.floor(run / LEVELS) > (behind?.upTo ?? 0) && !loaded.has(run));
    };
    const loaded = new Set<number>();
    let runs = await list();
    const filter = behind?.filter ?? new IdFilter(runs.reduce((sum, { ids }) => sum + ids, 0));
    let upTo = behind?.upTo ?? 0;
    let unmerged = 0;
    // A run that was merged meanwhile is found again as a part of another one. Others store more in the meantime, of which
    // the next batch reads what is left.
    for (let complete = false; !complete; runs = await list()) {
      complete = runs.length < RUNS / 2;
      for (const run of runs) {
        if (await loadRun(store, workspaceId, run, filter)) loaded.add(run.run);
        else complete = false;
        if (run.blocks === 0) unmerged++;
        upTo = Math.max(upTo, Math.floor(run.run / LEVELS));
      }
    }
    this.#known.delete(workspaceId);
    this.#known.set(workspaceId, { key, filter, upTo, isBehind: false, unmerged });
    let bytes = 0;
    for (const [id, known] of [...this.#known].reverse()) {
      bytes += known.filter.bytes;
      if (bytes > MAX_BYTES && id !== workspaceId) this.#known.delete(id);
    }
  }
}

/** Adds the hashes of a run to a filter. Resolves to false if a part of it is gone. */
async function loadRun(
  store: Pick<Store, 'read'>,
  workspaceId: string,
  { run, blocks, ids }: Omit<IdRun, 'hashes'>,
  filter: IdFilter,
): Promise<boolean> {
  let count = 0;
  const add = (hashes: Uint32Array) => {
    filter.add(hashes);
    count += hashes.length / WORDS;
  };
  if (blocks === 0) {
    const [found] = await store.read((tx) => eventIds.before(tx, workspaceId, run + 1, 1));
    if (found?.run === run) add(wordsOf(found.hashes!));
  }
  for (let from = 0; from < blocks; from += LOADED_BLOCKS) {
    const pieces = await store.read((tx) =>
      eventIds.hashes(tx, workspaceId, [[run, from, from + LOADED_BLOCKS]]),
    );
    for (const piece of pieces) add(piece);
  }
  return count === ids;
}

async function keyOf(tx: Tx, workspaceId: string): Promise<Uint32Array> {
  return idKeyOf(await workspaces.hashKey(tx, workspaceId));
}

/** Which of the sought hashes, by index, are stored. */
async function search(
  tx: Tx,
  workspaceId: string,
  hashes: Uint32Array,
  sought: readonly number[],
): Promise<Set<number>> {
  const stored = new Set<number>();
  /** The sought hashes by their second word. */
  const byWord = new Map<number, number[]>();
  /** Marks their lowest bits: most stored hashes are compared with nothing else. */
  const marks = new Uint8Array(2 ** 16);
  for (const i of sought) {
    const word = hashes[WORDS * i + 1]!;
    marks[word & 0xffff] = 1;
    const same = byWord.get(word);
    if (same) same.push(i);
    else byWord.set(word, [i]);
  }
  const compare = (words: Uint32Array) => {
    for (let at = 0; at < words.length; at += WORDS)
      if (marks[words[at + 1]! & 0xffff] === 1)
        for (const i of byWord.get(words[at + 1]!) ?? [])
          if (words[at] === hashes[WORDS * i] && words[at + 2] === hashes[WORDS * i + 2]) stored.add(i);
  };
  for (let before = Number.MAX_SAFE_INTEGER; stored.size < sought.length; ) {
    const runs = await eventIds.before(tx, workspaceId, before, RUNS);
    for (const run of runs) if (run.blocks === 0) compare(wordsOf(run.hashes!));
    const merged = runs.filter(({ blocks }) => blocks > 0);
    while (merged.length > 0 && stored.size < sought.length) {
      const left = sought.filter((i) => !stored.has(i));
      const next = merged.splice(0, Math.max(1, Math.floor(SEARCHED / left.length)));
      const ranges = next.flatMap(({ run, blocks }) => {
        const wanted = new Set(left.map((i) => blockOf(hashes[WORDS * i]!, blocks)));
        return [...wanted].map((block): BlockRange => [run, block, block + 1]);
      });
      for (const words of await eventIds.hashes(tx, workspaceId, ranges)) compare(words);
    }
    if (runs.length < RUNS) break;
    before = runs.at(-1)!.run;
  }
  return stored;
}
