import { newId } from '../../../kit/id.ts';
import type { Tx, Workers } from './store.ts';
import { HOLD } from './test-clock.ts';
import { textArray } from './text-array.ts';
import { workspaces } from './workspaces.ts';

/** The kinds of background work. */
export const LANES = [
  'catch-up',
  'clean',
  'delete',
  'deliveries',
  'erase',
  'fan-out',
  'goals',
  'ids',
  'index',
  'learn',
  'notifications',
  'settle',
] as const;
export type Lane = (typeof LANES)[number];

/**
 * Marks that a workspace has work in a lane at a time, Unix ms, so that a worker looks only where there is work. The
 * transaction that stores work adds a mark. A worker removes the marks that it sees before it looks at the work,
 * and adds one for what is left: a mark of a transaction that has not committed stays, so no work is overlooked, and no
 * writer waits for another or for a worker.
 */
export const due = {
  async mark(tx: Tx, workspaceId: string, lane: Lane, at = tx.now): Promise<void> {
    await tx.sql.run('INSERT INTO due (workspace_id, lane, due_at, due_id) VALUES (?, ?, ?, ?)', [
      workspaceId,
      lane,
      at,
      newId('due'),
    ]);
  },

  /** Removes the marks of a workspace in a lane. Call it before the statements that look for the work. */
  async clear(tx: Tx, workspaceId: string, lane: Lane): Promise<void> {
    await tx.sql.run(
      `DELETE FROM due WHERE (workspace_id, lane, due_at, due_id) IN
         (SELECT workspace_id, lane, due_at, due_id FROM due WHERE workspace_id = ? AND lane = ?
          ${tx.sql.dialect.skipLocked})`,
      [workspaceId, lane],
    );
  },

  /**
   * Up to `limit` workspaces with due marks in a lane, but for frozen ones, ordered by identifier, after the identifier `after`. Where workers
   * of a distributed database do not answer, a query over all of its workspaces would fail: then only the workspaces of
   * the other workers are queried.
   */
  async page(
    tx: Tx,
    workers: Workers | undefined,
    lane: Lane,
    after: string,
    limit: number,
  ): Promise<DuePage> {
    const frozen = await workspaces.frozen(tx);
    const working = (ids: string[]) => ids.filter((id) => !frozen.has(id));
    if (!workers || workers.out().out === 0) {
      const found = await marked(tx, lane, after, limit);
      return { found: working(found), next: found.length < limit ? undefined : found.at(-1) };
    }
    const ids = await workspaces.ids(tx, after, NAMED);
    const inReach = ids.filter((id) => !workers.isUnreachable(id));
    const found = await markedAmong(tx, lane, inReach, limit);
    if (found.length === limit) return { found: working(found), next: found.at(-1) };
    return { found: working(found), next: ids.length < NAMED ? undefined : ids.at(-1) };
  },

  /**
   * When the next mark of a lane that does not count as due yet is due in any workspace, Unix ms; undefined without marks.
   * It may be past where a test clock holds back work.
   */
  async next(tx: Tx, lane: Lane): Promise<number | undefined> {
    const row = await tx.sql.get<{ at: number }>(
      `SELECT due_at AS at FROM due WHERE lane = ? AND due_at > ${latest(tx)} ORDER BY due_at LIMIT 1`,
      [lane, tx.now],
    );
    return row?.at;
  },

  /** True while some workspace that is not out has due marks in a lane. */
  async any(tx: Tx, workers: Workers | undefined, lane: Lane): Promise<boolean> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { found, next }: DuePage = await due.page(tx, workers, lane, after, 1);
      if (found.length > 0) return true;
      after = next;
    }
    return false;
  },
};

/** Workspaces that are asked for by name at once, while some are out. */
const NAMED = 1000;

/** Some workspaces with due work, and the identifier after which to go on; undefined at the end. */
interface DuePage {
  readonly found: string[];
  readonly next: string | undefined;
}

/** The time of the latest marks that are due; its parameter is the present, which a test clock holds back while it moves. */
const latest = ({ sql }: Tx): string => (sql.dialect.distributed ? '?' : `coalesce((${HOLD}), ?)`);

async function marked(tx: Tx, lane: Lane, after: string, limit: number): Promise<string[]> {
  const rows = await tx.sql.all<{ id: string }>(
    // Materialized, so that only due marks are read: the order would suggest the primary key, which has all of them.
    `WITH marks AS MATERIALIZED (SELECT workspace_id FROM due WHERE lane = ? AND due_at <= ${latest(tx)})
     SELECT DISTINCT workspace_id AS id FROM marks WHERE workspace_id > ? ORDER BY workspace_id LIMIT ?`,
    [lane, tx.now, after, limit],
  );
  return rows.map(({ id }) => id);
}

/** Those of some workspaces that have due marks in a lane, up to `limit`, ordered by identifier. */
async function markedAmong(tx: Tx, lane: Lane, ids: readonly string[], limit: number): Promise<string[]> {
  const rows = await tx.sql.all<{ id: string }>(
    `WITH marks AS MATERIALIZED (SELECT workspace_id FROM due WHERE lane = ? AND due_at <= ?
       AND workspace_id = ANY ((?)::text[]))
     SELECT DISTINCT workspace_id AS id FROM marks ORDER BY workspace_id LIMIT ?`,
    [lane, tx.now, textArray(ids), limit],
  );
  return rows.map(({ id }) => id);
}
