import type { Cutoffs } from '../../../platform/store/retained-logs.ts';
import type { Tx } from '../../../platform/store/store.ts';
import { bytesOf, WORDS, wordsOf } from './id-hashes.ts';

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
export const LIVE = 0;
export const BUILDING = 1;
export const GONE = 2;

/** Levels of a run. */
export const LEVELS = 16;
/** Runs that are read at a time. */
export const RUNS = 64;

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
};
