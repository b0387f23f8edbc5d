import { listed, listedNumbers } from '../../../platform/store/listed.ts';
import { removals } from '../../../platform/store/retention/removals.ts';
import { insertRows, rowsQuery } from '../../../platform/store/rows.ts';
import type { Tx } from '../../../platform/store/store.ts';
import { definitions } from './definitions.ts';

/** An event of a goal. */
export interface GoalEvent {
  readonly goal: number;
  readonly number: number;
  readonly hashId: string;
  /** Unix ms. */
  readonly at: number;
  /** In millionths; null for a correction. */
  readonly value: number | null;
  /** What each of its decisions earned of it: its value, or 0 once it was corrected. */
  readonly counted: number;
  readonly matchKey: string | null;
  readonly decisions: readonly string[];
}

type EventRow = Omit<GoalEvent, 'decisions'> & { decisions: string | null };

const EVENT = `goal, number, hash_id AS "hashId", at_ms AS at, value, counted, match_key AS "matchKey", decisions`;

const eventOf = (row: EventRow): GoalEvent => ({
  ...row,
  goal: Number(row.goal),
  number: Number(row.number),
  at: Number(row.at),
  value: row.value === null ? null : Number(row.value),
  counted: Number(row.counted),
  decisions: row.decisions === null ? [] : JSON.parse(row.decisions),
});

const decisionsText = (ids: readonly string[]) => (ids.length === 0 ? null : JSON.stringify(ids));

/** The events that are counted for goals. */
export const goalEvents = {
  /** Removes up to `limit` events of each definition that are gone from the event log; returns how many. What they earned stays. */
  async purge(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    const removed = await removals.of(tx, workspaceId, 'events');
    if (!removed) return 0;
    let most = 0;
    for (const { goal } of await definitions.all(tx, workspaceId))
      most = Math.max(
        most,
        await tx.sql.run(
          `DELETE FROM goal_event WHERE workspace_id = ? AND goal = ? AND number IN
             (SELECT number FROM goal_event WHERE workspace_id = ? AND goal = ? AND number <= ? ORDER BY number LIMIT ?)`,
          [workspaceId, goal, workspaceId, goal, removed.number, limit],
        ),
      );
    return most;
  },

  /** The first `limit` events of a definition. */
  async first(tx: Tx, workspaceId: string, goal: number, limit: number): Promise<GoalEvent[]> {
    const rows = await tx.sql.all<EventRow>(
      `SELECT ${EVENT} FROM goal_event WHERE workspace_id = ? AND goal = ? ORDER BY number LIMIT ?`,
      [workspaceId, goal, limit],
    );
    return rows.map(eventOf);
  },

  async removeUpTo(tx: Tx, workspaceId: string, goal: number, upTo: number): Promise<void> {
    await tx.sql.run('DELETE FROM goal_event WHERE workspace_id = ? AND goal = ? AND number <= ?', [
      workspaceId,
      goal,
      upTo,
    ]);
  },

  /** Up to `limit` counted events of a user at `from` (Unix ms) with a number above `number`, and later ones, in order. */
  async from(
    tx: Tx,
    workspaceId: string,
    { hashId, from, number }: { hashId: string; from: number; number: number },
    limit: number,
  ): Promise<GoalEvent[]> {
    const rows = await tx.sql.all<EventRow>(
      `SELECT ${EVENT} FROM goal_event WHERE workspace_id = ? AND hash_id = ? AND at_ms >= ?
         AND (at_ms > ? OR number > ?) AND value IS NOT NULL ORDER BY at_ms, number, goal LIMIT ?`,
      [workspaceId, hashId, from, from, number, limit],
    );
    return rows.map(eventOf);
  },

  /** The events of all goals with these numbers. */
  async numbered(tx: Tx, workspaceId: string, numbers: readonly number[]): Promise<GoalEvent[]> {
    const found: GoalEvent[] = [];
    const { text, param } = listedNumbers(tx.sql.dialect, 'number', numbers);
    for (const { goal } of await definitions.all(tx, workspaceId)) {
      const rows = await tx.sql.all<EventRow>(
        `SELECT ${EVENT} FROM goal_event WHERE workspace_id = ? AND goal = ? AND ${text} ORDER BY number`,
        [workspaceId, goal, param],
      );
      found.push(...rows.map(eventOf));
    }
    return found;
  },

  async remove(tx: Tx, workspaceId: string, events: readonly GoalEvent[]): Promise<void> {
    for (const goal of new Set(events.map((event) => event.goal))) {
      const numbers = events.flatMap((event) => (event.goal === goal ? [event.number] : []));
      const { text, param } = listedNumbers(tx.sql.dialect, 'number', numbers);
      await tx.sql.run(`DELETE FROM goal_event WHERE workspace_id = ? AND goal = ? AND ${text}`, [
        workspaceId,
        goal,
        param,
      ]);
    }
  },

  /** The events of a goal with these keys of what is corrected. */
  async matching(tx: Tx, workspaceId: string, goal: number, keys: readonly string[]): Promise<GoalEvent[]> {
    if (keys.length === 0) return [];
    const { text, param } = listed(tx.sql.dialect, 'match_key', keys);
    const rows = await tx.sql.all<EventRow>(
      `SELECT ${EVENT} FROM goal_event WHERE workspace_id = ? AND goal = ? AND ${text}`,
      [workspaceId, goal, param],
    );
    return rows.map(eventOf);
  },

  async add(tx: Tx, workspaceId: string, events: readonly GoalEvent[]): Promise<void> {
    await insertRows(
      tx,
      `INSERT INTO goal_event (workspace_id, goal, number, hash_id, at_ms, value, counted, match_key, decisions)`,
      events.map((event) => [
        ...[workspaceId, event.goal, event.number, event.hashId, event.at, event.value, event.counted],
        ...[event.matchKey, decisionsText(event.decisions)],
      ]),
    );
  },

  /** Stores for which decisions events count, and how much. */
  async attribute(tx: Tx, workspaceId: string, events: readonly GoalEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { text, param } = rowsQuery(
      tx.sql.dialect,
      events.map(({ goal, number, counted, decisions }) => [
        ...[goal, number, counted],
        decisionsText(decisions),
      ]),
    );
    await tx.sql.run(
      `WITH v AS MATERIALIZED (${text}) UPDATE goal_event SET counted = CAST(v.c2 AS BIGINT), decisions = v.c3 FROM v
       WHERE workspace_id = ? AND goal = CAST(v.c0 AS BIGINT) AND number = CAST(v.c1 AS BIGINT)`,
      [param, workspaceId],
    );
  },
};
