import { listed } from '../../../platform/store/listed.ts';
import { pipeline } from '../../../platform/store/pipeline.ts';
import { deleteSome, insertRows } from '../../../platform/store/rows.ts';
import type { Tx } from '../../../platform/store/store.ts';
import type { CountedPolicy } from '../../store/content-counts.ts';
import { UNIT } from '../rules/attribution.ts';
import type { GroupSums } from '../rules/gain-interval.ts';

/** A change of what a content, or all (''), earned of a goal by the decision that began to count at a time (Unix ms), in millionths. */
export interface GoalAtTime {
  readonly goal: number;
  readonly contentId: string;
  readonly policy: string;
  readonly at: number;
  readonly value: number;
  readonly squares: number;
  readonly most: number;
}

/** What a content earned of a goal in an hour or a day by one kind of choice, in millionths. */
export interface EarnedRow {
  readonly goal: number;
  readonly contentId: string;
  readonly policy: string;
  /** Its beginning, Unix ms. */
  readonly at: number;
  readonly value: number;
  readonly squares: number;
  readonly most: number;
}

/** Sums by the start of the day (UTC), Unix ms. */
export type ByDay = ReadonlyMap<number, GroupSums>;

const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** How long rows are kept: as long as those of the decisions that were served. */
const KEPT_MS = { [HOUR_MS]: 15 * DAY_MS, [DAY_MS]: 400 * DAY_MS };
/** Hours are read up to this age, so that none is read that is being removed. */
const HOURS_MS = 14 * DAY_MS;

const KEY = 'width, goal, content_id, policy, bucket';
const TABLE = { table: 'goal_by_time', key: KEY };

/** What is compared for a guard: decisions of one kind of choice that began to count in [from, upTo), Unix ms. */
interface Compared {
  readonly goal: number;
  readonly policy: CountedPolicy;
  readonly from: number;
  readonly upTo: number;
}

/** What decisions earned of goals, by hour and day. */
export const goalsByTime = {
  /** Adds changes, in the order of their keys, so that two transactions lock the rows in it. */
  async add(tx: Tx, workspaceId: string, changes: readonly GoalAtTime[]): Promise<void> {
    const sums = new Map<
      string,
      { key: (string | number)[]; value: number; squares: number; most: number }
    >();
    for (const { goal, contentId, policy, at, value, squares, most } of changes)
      for (const width of [HOUR_MS, DAY_MS]) {
        const key = [width, goal, contentId, policy, Math.floor(at / width) * width];
        const sum = sums.get(JSON.stringify(key)) ?? { key, value: 0, squares: 0, most: 0 };
        sum.value += value;
        sum.squares += squares;
        sum.most = Math.max(sum.most, most);
        sums.set(JSON.stringify(key), sum);
      }
    const inOrder = [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
    await insertRows(
      tx,
      `INSERT INTO goal_by_time (workspace_id, ${KEY}, value, squares, most)`,
      inOrder.map(([, { key, value, squares, most }]) => [workspaceId, ...key, value, squares, most]),
      `ON CONFLICT (workspace_id, ${KEY}) DO UPDATE SET
         value = goal_by_time.value + excluded.value, squares = goal_by_time.squares + excluded.squares,
         most = CASE WHEN excluded.most > goal_by_time.most THEN excluded.most ELSE goal_by_time.most END`,
    );
  },

  /** What these contents, or all (''), earned by day (UTC). `upTo` is the end of an hour. */
  async byDay(
    tx: Tx,
    workspaceId: string,
    contentIds: readonly string[],
    compared: Compared,
  ): Promise<Map<string, ByDay>> {
    const { goal, policy, upTo } = compared;
    const from = Math.ceil(compared.from / DAY_MS) * DAY_MS;
    const lastDay = Math.floor(upTo / DAY_MS) * DAY_MS;
    const lastHour = lastDay < tx.now - HOURS_MS ? lastDay : upTo;
    const { text, param } = listed(tx.sql.dialect, 'content_id', contentIds);
    const days = new Map<string, Map<number, GroupSums>>();
    const read = async (width: number, since: number, before: number) => {
      if (since >= before) return;
      const served = await tx.sql.all<{ contentId: string; bucket: number; served: number }>(
        `SELECT content_id AS "contentId", bucket, served FROM content_count
         WHERE workspace_id = ? AND width = ? AND ${text} AND policy = ? AND bucket >= ? AND bucket < ?`,
        [workspaceId, width, param, policy, since, before],
      );
      const earned = await tx.sql.all<Omit<GroupSums, 'served'> & { contentId: string; bucket: number }>(
        `SELECT content_id AS "contentId", bucket, value, squares, most FROM goal_by_time
         WHERE workspace_id = ? AND width = ? AND goal = ? AND ${text} AND policy = ? AND bucket >= ? AND bucket < ?`,
        [workspaceId, width, goal, param, policy, since, before],
      );
      for (const { contentId, bucket, ...row } of [...served, ...earned]) {
        const byDay = days.get(contentId) ?? new Map<number, GroupSums>();
        days.set(contentId, byDay);
        const day = Math.floor(Number(bucket) / DAY_MS) * DAY_MS;
        byDay.set(day, added(byDay.get(day) ?? NONE, row));
      }
    };
    await read(DAY_MS, from, lastDay);
    await read(HOUR_MS, Math.max(from, lastDay), lastHour);
    return days;
  },

  /** What contents, or all (''), earned of some goals in a range of time, by hour or day. */
  async between(
    tx: Tx,
    workspaceId: string,
    { from, until, width }: { readonly from: number; readonly until: number; readonly width: number },
    of: { readonly goals: readonly number[]; readonly contentIds: readonly string[] },
  ): Promise<EarnedRow[]> {
    const { text, param } = listed(tx.sql.dialect, 'content_id', of.contentIds);
    const rows = await pipeline(
      of.goals.map((goal) =>
        tx.sql.all<EarnedRow>(
          `SELECT goal, content_id AS "contentId", policy, bucket AS at, value, squares, most FROM goal_by_time
           WHERE workspace_id = ? AND width = ? AND goal = ? AND ${text}
             AND policy IN ('learned', 'holdout', 'weights') AND bucket >= ? AND bucket < ?`,
          [workspaceId, width, goal, param, from, until],
        ),
      ),
    );
    return rows.flat().map((row) => ({
      ...row,
      goal: Number(row.goal),
      at: Number(row.at),
      value: Number(row.value),
      squares: Number(row.squares),
      most: Number(row.most),
    }));
  },

  /** Deletes up to `limit` rows that are no longer kept. Returns how many. */
  async purge(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    let removed = 0;
    for (const [width, kept] of Object.entries(KEPT_MS)) {
      const params = [Number(width), tx.now - kept - Number(width)];
      removed += await deleteSome(
        tx,
        workspaceId,
        TABLE,
        'width = ? AND bucket < ?',
        params,
        limit - removed,
      );
    }
    return removed;
  },

  /** Removes up to `limit` rows of a definition; returns how many. */
  remove(tx: Tx, workspaceId: string, goal: number, limit: number): Promise<number> {
    const where = `width IN (${HOUR_MS}, ${DAY_MS}) AND goal = ?`;
    return deleteSome(tx, workspaceId, TABLE, where, [goal], limit);
  },
};

const NONE: GroupSums = { served: 0, value: 0, squares: 0, most: 0 };

/** Rows of SQL, in millionths, added to sums. */
function added(sums: GroupSums, row: Partial<GroupSums>): GroupSums {
  const { served = 0, value = 0, squares = 0, most = 0 } = row;
  return {
    served: sums.served + Number(served),
    value: sums.value + Number(value) / UNIT,
    squares: sums.squares + Number(squares) / UNIT,
    most: Math.max(sums.most, Number(most) / UNIT),
  };
}
