import type { Tx } from '../../../platform/store/store.ts';
import { OUTCOMES } from '../rules/learned-reward.ts';

/** A definition of a goal, and how far its events are counted. */
export interface StoredGoal {
  /** Its number: another definition of the same goal is another one. */
  readonly goal: number;
  readonly goalId: string;
  readonly definition: string;
  /** Counting began after this event. */
  readonly firstNumber: number;
  /** Events up to this one are counted. */
  readonly number: number;
  /** Events up to this one were stored before its definition. */
  readonly readyNumber: number;
  /** Decisions that began to count earlier, Unix ms, are not reported; 0 for none. */
  readonly since: number;
  /** Events that counted, those whose number was outside of the range, and those without a number to read. */
  readonly events: number;
  readonly clipped: number;
  readonly unreadable: number;
}

/** True once the events from before a definition are counted. */
export const isReady = ({ number, readyNumber }: StoredGoal): boolean => number >= readyNumber;

/** What the rewards of a workspace follow. */
export interface GoalHead {
  /** What the rewards of all decisions follow. */
  readonly formula: string;
  /** What those of the decisions up to the number `swept` follow already. */
  readonly target: string;
  readonly swept: number;
}

/** The definitions of the goals of workspaces, and how far each is counted. */
export const definitions = {
  /** What the rewards of a workspace follow; locked, so that one transaction at a time counts events. */
  async lockForUpdate(tx: Tx, workspaceId: string): Promise<GoalHead> {
    const row = await tx.sql.get<GoalHead>(
      `INSERT INTO goal_head (workspace_id, formula, target, swept) VALUES (?, ?, '', 0)
       ON CONFLICT (workspace_id) DO UPDATE SET swept = goal_head.swept RETURNING formula, target, swept`,
      [workspaceId, JSON.stringify(OUTCOMES)],
    );
    return { ...row!, swept: Number(row!.swept) };
  },

  async setHead(tx: Tx, workspaceId: string, { formula, target, swept }: GoalHead): Promise<void> {
    await tx.sql.run('UPDATE goal_head SET formula = ?, target = ?, swept = ? WHERE workspace_id = ?', [
      formula,
      target,
      swept,
      workspaceId,
    ]);
  },

  /** The definitions of the goals of a workspace, the oldest first. */
  async all(tx: Tx, workspaceId: string): Promise<StoredGoal[]> {
    const rows = await tx.sql.all<StoredGoal>(
      `SELECT goal, goal_id AS "goalId", definition, first_number AS "firstNumber", number,
         ready_number AS "readyNumber", since_ms AS since, events, clipped, unreadable
       FROM goal WHERE workspace_id = ? ORDER BY goal`,
      [workspaceId],
    );
    return rows.map((row) => ({
      goal: Number(row.goal),
      goalId: row.goalId,
      definition: row.definition,
      firstNumber: Number(row.firstNumber),
      number: Number(row.number),
      readyNumber: Number(row.readyNumber),
      since: Number(row.since),
      events: Number(row.events),
      clipped: Number(row.clipped),
      unreadable: Number(row.unreadable),
    }));
  },

  async add(tx: Tx, workspaceId: string, goal: StoredGoal): Promise<void> {
    await tx.sql.run(
      `INSERT INTO goal (workspace_id, goal, goal_id, definition, first_number, number, ready_number, since_ms, events,
         clipped, unreadable)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[workspaceId, goal.goal, goal.goalId, goal.definition, goal.firstNumber, goal.number],
        ...[goal.readyNumber, goal.since, goal.events, goal.clipped, goal.unreadable],
      ],
    );
  },

  /** Stores how far the events of a goal are counted. */
  async proceed(tx: Tx, workspaceId: string, goal: StoredGoal): Promise<void> {
    await tx.sql.run(
      `UPDATE goal SET number = ?, events = ?, clipped = ?, unreadable = ? WHERE workspace_id = ? AND goal = ?`,
      [...[goal.number, goal.events, goal.clipped, goal.unreadable], ...[workspaceId, goal.goal]],
    );
  },

  /** Removes a definition of which nothing else is stored. */
  async remove(tx: Tx, workspaceId: string, goal: number): Promise<void> {
    await tx.sql.run('DELETE FROM goal WHERE workspace_id = ? AND goal = ?', [workspaceId, goal]);
  },
};
