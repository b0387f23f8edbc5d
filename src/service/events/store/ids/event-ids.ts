import { due } from '../../../platform/store/due.ts';
import { listedNumbers } from '../../../platform/store/listed.ts';
import { pipeline } from '../../../platform/store/pipeline.ts';
import type { Cutoffs } from '../../../platform/store/retained-logs.ts';
import type { Tx } from '../../../platform/store/store.ts';
import { blockOf, bytesOf, WORDS, wordsOf } from './id-hashes.ts';

/**
 * A set of hashes of event ids. A batch is stored as one run, and a worker merges runs into larger ones, whose hashes are
 * divided into blocks by their first word. Rows at random keys, one for each id, would write a page of the database for
 * each once the table is large: 5 times the cost of ingest at a million ids (bench/event-ids.ts).
 */
export interface IdRun {
  /** 16 times the number of the newest event, plus the level: how often its hashes were merged. */
  readonly run: number;
  readonly ids: number;
  /** The number of its blocks; 0 if `hashes` has all. */
  readonly blocks: number;
  /** The latest arrival, Unix ms. */
  readonly at: number;
  readonly hashes: Uint8Array | null;
}

/** The states of a run. Hashes are looked up in live ones. */
const LIVE = 0;
const BUILDING = 1;
const GONE = 2;

/** Levels of a run. */
export const LEVELS = 16;
/** Runs that are read at a time. */
export const RUNS = 64;
/** The mean number of hashes of a block: with its key it fits into a page of SQLite. */
const BLOCK_IDS = 300;
/** Blocks that one transaction writes. */
const SLICE_BLOCKS = 128;

const COLUMNS = 'run, ids, blocks, at_ms AS at';

/** Blocks of a run: the first one, and the one after the last. */
export type BlockRange = readonly [run: number, from: number, to: number];

/** Selects ranges of blocks, each by the primary key. */
const HASHES = {
  postgres: `SELECT found.hashes FROM ROWS FROM (unnest((?)::bigint[], (?)::int[], (?)::int[])) AS sought(run, first, after)
    CROSS JOIN LATERAL (SELECT hashes FROM event_id_block
      WHERE workspace_id = ? AND run = sought.run AND block >= sought.first AND block < sought.after OFFSET 0) AS found`,
  sqlite: `SELECT b.hashes FROM json_each(?) s CROSS JOIN event_id_block b
    WHERE b.workspace_id = ? AND b.run = s.value ->> 0 AND b.block >= s.value ->> 1 AND b.block < s.value ->> 2`,
} as const;

/** Inserts consecutive blocks from pieces of one value. */
const ADD_BLOCKS = {
  postgres: `INSERT INTO event_id_block (workspace_id, run, block, hashes)
    SELECT h.workspace_id, (?)::bigint, (?)::int + part.nth - 1, substr((?)::bytea, part.start, part.size)
    FROM event_head h, ROWS FROM (unnest((?)::int[], (?)::int[])) WITH ORDINALITY AS part(start, size, nth)
    WHERE h.workspace_id = ?
    ON CONFLICT (workspace_id, run, block) DO NOTHING`,
  sqlite: `INSERT INTO event_id_block (workspace_id, run, block, hashes)
    SELECT h.workspace_id, ?, ? + part.key, substr(?, part.value ->> 0, part.value ->> 1)
    FROM event_head h, json_each(?) part
    WHERE h.workspace_id = ?
    ON CONFLICT (workspace_id, run, block) DO NOTHING`,
} as const;

const numbers = <T extends Pick<IdRun, 'run' | 'ids' | 'blocks' | 'at'>>(row: T): T => ({
  ...row,
  run: Number(row.run),
  ids: Number(row.ids),
  at: Number(row.at),
});

export const eventIds = {
  /** Stores the hashes of a batch whose last event has a number. */
  async add(tx: Tx, workspaceId: string, number: number, hashes: Uint32Array): Promise<void> {
    await tx.sql.run(
      'INSERT INTO event_id_run (workspace_id, run, ids, blocks, at_ms, state, hashes) VALUES (?, ?, ?, 0, ?, ?, ?)',
      [workspaceId, number * LEVELS, hashes.length / WORDS, tx.now, LIVE, bytesOf(hashes)],
    );
  },

  /** Up to RUNS live runs of later events than one, the oldest first, with the hashes of those without blocks. */
  async since(tx: Tx, workspaceId: string, number: number): Promise<IdRun[]> {
    const rows = await tx.sql.all<IdRun>(
      `SELECT ${COLUMNS}, hashes FROM event_id_run WHERE workspace_id = ? AND run > ? AND state = ${LIVE}
       ORDER BY run LIMIT ${RUNS}`,
      [workspaceId, number * LEVELS + LEVELS - 1],
    );
    return rows.map(numbers);
  },

  /** Up to `limit` live runs before one, the newest first, like `since`. */
  async before(tx: Tx, workspaceId: string, run: number, limit: number): Promise<IdRun[]> {
    const rows = await tx.sql.all<IdRun>(
      `SELECT ${COLUMNS}, hashes FROM event_id_run WHERE workspace_id = ? AND run < ? AND state = ${LIVE}
       ORDER BY run DESC LIMIT ?`,
      [workspaceId, run, limit],
    );
    return rows.map(numbers);
  },

  /** All live runs, without hashes, the oldest first. */
  async runs(tx: Tx, workspaceId: string): Promise<Omit<IdRun, 'hashes'>[]> {
    const rows = await tx.sql.all<IdRun>(
      `SELECT ${COLUMNS} FROM event_id_run WHERE workspace_id = ? AND state = ${LIVE} ORDER BY run`,
      [workspaceId],
    );
    return rows.map(numbers);
  },

  /** The hashes of some ranges of blocks. */
  async hashes(tx: Tx, workspaceId: string, ranges: readonly BlockRange[]): Promise<Uint32Array[]> {
    if (ranges.length === 0) return [];
    const { name } = tx.sql.dialect;
    const params =
      name === 'postgres'
        ? [0, 1, 2].map((i) => `{${ranges.map((range) => range[i]).join(',')}}`)
        : [JSON.stringify(ranges)];
    const rows = await tx.sql.all<{ hashes: Uint8Array }>(HASHES[name], [...params, workspaceId]);
    return rows.map(({ hashes }) => wordsOf(hashes));
  },

  /**
   * Begins to merge runs into one, or continues. Returns it, and undefined if one of them is no longer live, or what another
   * merge began of the same run has yet to be removed. That of other ones is removed.
   */
  async startMerge(
    tx: Tx,
    workspaceId: string,
    inputs: readonly Omit<IdRun, 'hashes'>[],
  ): Promise<IdRun | undefined> {
    if (!(await lockLive(tx, workspaceId, inputs))) return undefined;
    const ids = inputs.reduce((sum, input) => sum + input.ids, 0);
    const level = Math.max(...inputs.map(({ run }) => run % LEVELS)) + 1;
    const output = {
      run: Math.floor(inputs.at(-1)!.run / LEVELS) * LEVELS + level,
      ids,
      blocks: Math.ceil(ids / BLOCK_IDS),
      at: Math.max(...inputs.map(({ at }) => at)),
      hashes: null,
    };
    await tx.sql.run(
      `UPDATE event_id_run SET state = ${GONE} WHERE workspace_id = ? AND state = ${BUILDING} AND run <> ?`,
      [workspaceId, output.run],
    );
    await tx.sql.run(
      `INSERT INTO event_id_run (workspace_id, run, ids, blocks, at_ms, state) VALUES (?, ?, ?, ?, ?, ${BUILDING})
       ON CONFLICT (workspace_id, run) DO NOTHING`,
      [workspaceId, output.run, output.ids, output.blocks, output.at],
    );
    const begun = await tx.sql.get(
      `SELECT 1 AS one FROM event_id_run WHERE workspace_id = ? AND run = ? AND state = ${BUILDING} AND ids = ?`,
      [workspaceId, output.run, ids],
    );
    return begun ? output : undefined;
  },

  /** Writes the next blocks of a merge, from one on. Returns the block after them; undefined if it cannot go on. */
  async mergeBlocks(
    tx: Tx,
    workspaceId: string,
    inputs: readonly Omit<IdRun, 'hashes'>[],
    output: IdRun,
    from: number,
  ): Promise<number | undefined> {
    if (!(await lockLive(tx, workspaceId, inputs))) return undefined;
    const to = Math.min(from + SLICE_BLOCKS, output.blocks);
    const first = (block: number) => Math.ceil((block * 2 ** 32) / output.blocks);
    const ranges = inputs
      .filter(({ blocks }) => blocks > 0)
      .map(
        ({ run, blocks }): BlockRange => [
          run,
          blockOf(first(from), blocks),
          blockOf(first(to) - 1, blocks) + 1,
        ],
      );
    const whole = inputs.filter(({ blocks }) => blocks === 0).map(({ run }) => run);
    const { text, param } = listedNumbers(tx.sql.dialect, 'run', whole);
    const [pieces, rows] = await pipeline([
      eventIds.hashes(tx, workspaceId, ranges),
      tx.sql.all<{ hashes: Uint8Array }>(
        `SELECT hashes FROM event_id_run WHERE workspace_id = ? AND ${text}`,
        [workspaceId, param],
      ),
    ]);
    const { hashes, ends } = inBlocks(
      [...pieces, ...rows.map((row) => wordsOf(row.hashes))],
      output.blocks,
      from,
      to,
    );
    const { name } = tx.sql.dialect;
    const sizes = ends.map((end, i) => end - (ends[i - 1] ?? 0));
    const starts = ends.map((end, i) => end - sizes[i]! + 1);
    const parts =
      name === 'postgres'
        ? [`{${starts.join(',')}}`, `{${sizes.join(',')}}`]
        : [JSON.stringify(starts.map((start, i) => [start, sizes[i]]))];
    await tx.sql.run(ADD_BLOCKS[name], [output.run, from, bytesOf(hashes), ...parts, workspaceId]);
    return to;
  },

  /** Replaces the inputs of a merge by its output. Returns false if another merge did. */
  async endMerge(
    tx: Tx,
    workspaceId: string,
    inputs: readonly Omit<IdRun, 'hashes'>[],
    output: IdRun,
  ): Promise<boolean> {
    if (!(await lockLive(tx, workspaceId, inputs))) return false;
    const ended = await tx.sql.run(
      `UPDATE event_id_run SET state = ${LIVE} WHERE workspace_id = ? AND run = ? AND state = ${BUILDING}`,
      [workspaceId, output.run],
    );
    if (ended === 0) return false;
    const { text, param } = listedNumbers(
      tx.sql.dialect,
      'run',
      inputs.map(({ run }) => run),
    );
    await tx.sql.run(`UPDATE event_id_run SET state = ${GONE} WHERE workspace_id = ? AND ${text}`, [
      workspaceId,
      param,
    ]);
    return true;
  },

  /** Removes up to `limit` runs without blocks that are gone, or blocks of the first other one. Returns the number of rows. */
  async clean(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    const whole = await tx.sql.run(
      `DELETE FROM event_id_run WHERE workspace_id = ? AND run IN
         (SELECT run FROM event_id_run WHERE workspace_id = ? AND state = ${GONE} AND blocks = 0 ORDER BY run LIMIT ?)`,
      [workspaceId, workspaceId, limit],
    );
    if (whole > 0) return whole;
    const gone = await tx.sql.get<{ run: number }>(
      `SELECT run FROM event_id_run WHERE workspace_id = ? AND state = ${GONE} ORDER BY run LIMIT 1`,
      [workspaceId],
    );
    if (!gone) return 0;
    const removed = await tx.sql.run(
      `DELETE FROM event_id_block WHERE workspace_id = ? AND run = ? AND block IN
         (SELECT block FROM event_id_block WHERE workspace_id = ? AND run = ? ORDER BY block LIMIT ?)`,
      [workspaceId, gone.run, workspaceId, gone.run, limit],
    );
    if (removed === limit) return removed;
    await tx.sql.run('DELETE FROM event_id_run WHERE workspace_id = ? AND run = ?', [workspaceId, gone.run]);
    return removed + 1;
  },

  /** Removes ids by arrival: up to `limit` rows of the runs whose latest one is too old. Returns the number of rows. */
  async purge(tx: Tx, workspaceId: string, limit: number, { eventIds: before }: Cutoffs): Promise<number> {
    if (before !== null)
      await tx.sql.run(
        `UPDATE event_id_run SET state = ${GONE} WHERE workspace_id = ? AND at_ms < ? AND state <> ${GONE}`,
        [workspaceId, before],
      );
    const removed = await eventIds.clean(tx, workspaceId, limit);
    // A small run is removed at once, so that there may be more.
    return removed > 0 ? limit : 0;
  },

  /** Waits for the end of a transaction that merges or changes runs, and keeps others from it until this one ends. */
  lock: (tx: Tx, workspaceId: string): Promise<void> => tx.lock(`event ids ${workspaceId}`),

  /** Ends merges that were begun: runs are changed. The next one begins again. */
  async endBuilding(tx: Tx, workspaceId: string): Promise<void> {
    await tx.sql.run(
      `UPDATE event_id_run SET state = ${GONE} WHERE workspace_id = ? AND state = ${BUILDING}`,
      [workspaceId],
    );
  },

  /** Stores how many ids a run has left. Without any, it is removed. */
  async setSize(tx: Tx, workspaceId: string, run: number, ids: number): Promise<void> {
    await tx.sql.run('UPDATE event_id_run SET ids = ?, state = ? WHERE workspace_id = ? AND run = ?', [
      ids,
      ids === 0 ? GONE : LIVE,
      workspaceId,
      run,
    ]);
  },

  /** The number of the newest event whose id a run may have. */
  newestOf: ({ run }: Pick<IdRun, 'run'>): number => Math.floor(run / LEVELS),

  /** Says that runs of a workspace are to be merged. */
  async markMerge(tx: Tx, workspaceId: string): Promise<void> {
    await due.mark(tx, workspaceId, 'ids');
  },
};

/** Locks runs that are to be merged. Returns false if one is no longer live, or has lost ids since it was read. */
async function lockLive(
  tx: Tx,
  workspaceId: string,
  inputs: readonly Omit<IdRun, 'hashes'>[],
): Promise<boolean> {
  await eventIds.lock(tx, workspaceId);
  const sizes = new Map(inputs.map(({ run, ids }) => [run, ids]));
  const { text, param } = listedNumbers(
    tx.sql.dialect,
    'run',
    inputs.map(({ run }) => run),
  );
  const live = await tx.sql.all<{ run: number; ids: number }>(
    `SELECT run, ids FROM event_id_run WHERE workspace_id = ? AND ${text} AND state = ${LIVE} ORDER BY run
     ${tx.sql.dialect.forUpdate}`,
    [workspaceId, param],
  );
  return (
    live.length === inputs.length && live.every(({ run, ids }) => sizes.get(Number(run)) === Number(ids))
  );
}

/** The hashes that belong into the blocks in [`from`, `to`), in their order, and where each block ends, in bytes. */
function inBlocks(
  pieces: readonly Uint32Array[],
  blocks: number,
  from: number,
  to: number,
): { hashes: Uint32Array; ends: number[] } {
  const places = new Uint32Array(to - from + 1);
  for (const words of pieces)
    for (let at = 0; at < words.length; at += WORDS) {
      const block = blockOf(words[at]!, blocks);
      if (block >= from && block < to) places[block - from + 1]! += WORDS;
    }
  for (let i = 1; i < places.length; i++) places[i]! += places[i - 1]!;
  const hashes = new Uint32Array(places.at(-1)!);
  for (const words of pieces)
    for (let at = 0; at < words.length; at += WORDS) {
      const block = blockOf(words[at]!, blocks);
      if (block < from || block >= to) continue;
      const place = places[block - from]!;
      for (let word = 0; word < WORDS; word++) hashes[place + word] = words[at + word]!;
      places[block - from] = place + WORDS;
    }
  return {
    hashes,
    ends: [...places.subarray(0, to - from)].map((words) => words * hashes.BYTES_PER_ELEMENT),
  };
}
