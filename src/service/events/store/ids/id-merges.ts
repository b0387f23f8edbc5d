import { due } from '../../../platform/store/due.ts';
import { listedNumbers } from '../../../platform/store/listed.ts';
import { pipeline } from '../../../platform/store/pipeline.ts';
import type { Tx } from '../../../platform/store/store.ts';
import { type BlockRange, BUILDING, eventIds, GONE, type IdRun, LEVELS, LIVE } from './event-ids.ts';
import { blockOf, bytesOf, WORDS, wordsOf } from './id-hashes.ts';

/** The mean number of hashes of a block: with its key it fits into a page of SQLite. */
const BLOCK_IDS = 300;
/** Blocks that one transaction writes. */
const SLICE_BLOCKS = 128;

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

/** How runs of event ids become one, in transactions that each write a part. */
export const idMerges = {
  /** Says that runs of a workspace are to be merged. */
  async mark(tx: Tx, workspaceId: string): Promise<void> {
    await due.mark(tx, workspaceId, 'ids');
  },

  /**
   * Begins to merge runs into one, or continues. Returns it, and undefined if one of them is no longer live, or what another
   * merge began of the same run has yet to be removed. That of other ones is removed.
   */
  async start(
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
  async addBlocks(
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
  async end(
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

  /** Ends merges that were begun: runs are changed. The next one begins again. */
  async giveUp(tx: Tx, workspaceId: string): Promise<void> {
    await tx.sql.run(
      `UPDATE event_id_run SET state = ${GONE} WHERE workspace_id = ? AND state = ${BUILDING}`,
      [workspaceId],
    );
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
