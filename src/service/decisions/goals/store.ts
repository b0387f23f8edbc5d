import { due } from '../../platform/store/due.ts';
import { listed } from '../../platform/store/listed.ts';
import { pipeline } from '../../platform/store/pipeline.ts';
import { removals } from '../../platform/store/retention/removals.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { Candidate } from './rules/attribution.ts';
import { OUTCOMES } from './rules/learned-reward.ts';

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

/** What a content earned of a goal, or a change of it: sums over decisions, in millionths. */
export interface GoalCounts {
  readonly converted: number;
  readonly value: number;
  readonly squares: number;
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

/** The outcomes with which a window begins. */
const OPENING = {
  opened: `('opened', 'clicked', 'actioned')`,
  clicked: `('clicked', 'actioned')`,
} as const;

/** Outcomes that are read for one event. */
const MAX_OUTCOMES = 400;

/** The goals of workspaces, and the events that are counted for them. */
export const goals = {
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
         ready_number AS "readyNumber", events, clipped, unreadable
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
      events: Number(row.events),
      clipped: Number(row.clipped),
      unreadable: Number(row.unreadable),
    }));
  },

  async addGoal(tx: Tx, workspaceId: string, goal: StoredGoal): Promise<void> {
    await tx.sql.run(
      `INSERT INTO goal (workspace_id, goal, goal_id, definition, first_number, number, ready_number, events, clipped,
         unreadable)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[workspaceId, goal.goal, goal.goalId, goal.definition, goal.firstNumber, goal.number],
        ...[goal.readyNumber, goal.events, goal.clipped, goal.unreadable],
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

  /** Removes up to `limit` events of each definition that are gone from the event log; returns how many. What they earned stays. */
  async purge(tx: Tx, workspaceId: string, limit: number): Promise<number> {
    const removed = await removals.of(tx, workspaceId, 'events');
    if (!removed) return 0;
    let most = 0;
    for (const { goal } of await goals.all(tx, workspaceId))
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
  async firstEvents(tx: Tx, workspaceId: string, goal: number, limit: number): Promise<GoalEvent[]> {
    const rows = await tx.sql.all<EventRow>(
      `SELECT ${EVENT} FROM goal_event WHERE workspace_id = ? AND goal = ? ORDER BY number LIMIT ?`,
      [workspaceId, goal, limit],
    );
    return rows.map(eventOf);
  },

  async removeEvents(tx: Tx, workspaceId: string, goal: number, upTo: number): Promise<void> {
    await tx.sql.run('DELETE FROM goal_event WHERE workspace_id = ? AND goal = ? AND number <= ?', [
      workspaceId,
      goal,
      upTo,
    ]);
  },

  /** Removes a definition without events. */
  async removeGoal(tx: Tx, workspaceId: string, goal: number): Promise<void> {
    await tx.sql.run('DELETE FROM goal_count WHERE workspace_id = ? AND goal = ?', [workspaceId, goal]);
    await tx.sql.run('DELETE FROM goal WHERE workspace_id = ? AND goal = ?', [workspaceId, goal]);
  },

  /** Says that events of a user from now on may count for a decision for which they did not. */
  async recheck(tx: Tx, workspaceId: string, hashId: string): Promise<void> {
    await pipeline([
      tx.sql.run(
        `INSERT INTO goal_recheck (workspace_id, hash_id, from_ms, number) VALUES (?, ?, ?, 0) ON CONFLICT DO NOTHING`,
        [workspaceId, hashId, tx.now],
      ),
      due.mark(tx, workspaceId, 'goals'),
    ]);
  },

  /**
   * Takes up to `limit` users whose events are to be looked at again: those at `from` with a number above `number`, and
   * later ones. Taken before the look, so that a decision that begins to count meanwhile is not overlooked.
   */
  async takeRechecks(
    tx: Tx,
    workspaceId: string,
    limit: number,
  ): Promise<{ hashId: string; from: number; number: number }[]> {
    const rows = await tx.sql.all<{ hashId: string; from: number; number: number }>(
      `WITH taken AS MATERIALIZED
         (SELECT workspace_id, hash_id, from_ms FROM goal_recheck WHERE workspace_id = ? LIMIT ?
          ${tx.sql.dialect.skipLocked})
       DELETE FROM goal_recheck WHERE (workspace_id, hash_id, from_ms) IN (SELECT * FROM taken)
       RETURNING hash_id AS "hashId", from_ms AS "from", number`,
      [workspaceId, limit],
    );
    return rows.map((row) => ({ ...row, from: Number(row.from), number: Number(row.number) }));
  },

  /** Says where a long recheck goes on. */
  async addRecheck(tx: Tx, workspaceId: string, hashId: string, from: number, number: number): Promise<void> {
    await tx.sql.run(
      `INSERT INTO goal_recheck (workspace_id, hash_id, from_ms, number) VALUES (?, ?, ?, ?)
       ON CONFLICT (workspace_id, hash_id, from_ms) DO UPDATE SET
         number = CASE WHEN excluded.number < goal_recheck.number THEN excluded.number ELSE goal_recheck.number END`,
      [workspaceId, hashId, from, number],
    );
  },

  /** Up to `limit` counted events of a user at `from` (Unix ms) with a number above `number`, and later ones, in order. */
  async eventsFrom(
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

  /** The events of a goal with these keys of what is corrected. */
  async eventsMatching(
    tx: Tx,
    workspaceId: string,
    goal: number,
    keys: readonly string[],
  ): Promise<GoalEvent[]> {
    if (keys.length === 0) return [];
    const { text, param } = listed(tx.sql.dialect, 'match_key', keys);
    const rows = await tx.sql.all<EventRow>(
      `SELECT ${EVENT} FROM goal_event WHERE workspace_id = ? AND goal = ? AND ${text}`,
      [workspaceId, goal, param],
    );
    return rows.map(eventOf);
  },

  async addEvent(tx: Tx, workspaceId: string, event: GoalEvent): Promise<void> {
    await tx.sql.run(
      `INSERT INTO goal_event (workspace_id, goal, number, hash_id, at_ms, value, counted, match_key, decisions)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        ...[workspaceId, event.goal, event.number, event.hashId, event.at, event.value, event.counted],
        ...[event.matchKey, decisionsText(event.decisions)],
      ],
    );
  },

  /** Stores for which decisions an event counts, and how much. */
  async attribute(tx: Tx, workspaceId: string, event: GoalEvent): Promise<void> {
    await tx.sql.run(
      'UPDATE goal_event SET counted = ?, decisions = ? WHERE workspace_id = ? AND goal = ? AND number = ?',
      [event.counted, decisionsText(event.decisions), workspaceId, event.goal, event.number],
    );
  },

  /** Those of some users who have a decision that counts. */
  async decided(tx: Tx, workspaceId: string, hashIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { text, param } = listed(tx.sql.dialect, 'hash_id', hashIds);
    const rows = await tx.sql.all<{ hashId: string }>(
      `SELECT DISTINCT hash_id AS "hashId" FROM decision WHERE workspace_id = ? AND ${text} AND counted_at IS NOT NULL`,
      [workspaceId, param],
    );
    return new Set(rows.map(({ hashId }) => hashId));
  },

  /**
   * The decisions of a user whose windows began after `from` and not after `upTo`, Unix ms, the latest first: up to `limit`
   * of those that were served, or all that had their first outcome of a kind then.
   */
  async candidates(
    tx: Tx,
    workspaceId: string,
    hashId: string,
    after: 'served' | 'opened' | 'clicked',
    { from, upTo, limit }: { readonly from: number; readonly upTo: number; readonly limit: number },
  ): Promise<Candidate[]> {
    type Row = Omit<Candidate, 'surface'> & { context: string };
    const decision = `d.decision_id AS "decisionId", d.seq, d.content_id AS "contentId", d.category, d.context`;
    const rows =
      after === 'served'
        ? await tx.sql.all<Row>(
            `SELECT ${decision}, d.counted_at AS start FROM decision d
             WHERE d.workspace_id = ? AND d.hash_id = ? AND d.counted_at > ? AND d.counted_at <= ?
             ORDER BY d.counted_at DESC, d.seq DESC LIMIT ?`,
            [workspaceId, hashId, from, upTo, limit],
          )
        : await tx.sql.all<Row>(
            `SELECT ${decision}, (SELECT min(p.at_ms) FROM outcome p WHERE p.workspace_id = ? AND p.kind = 'message'
                 AND p.id = d.decision_id AND p.type IN ${OPENING[after]}) AS start FROM decision d
             WHERE d.workspace_id = ? AND d.counted_at IS NOT NULL AND d.decision_id IN
               (SELECT o.id FROM outcome o WHERE o.workspace_id = ? AND o.hash_id = ? AND o.at_ms > ? AND o.at_ms <= ?
                  AND o.kind = 'message' AND o.type IN ${OPENING[after]} ORDER BY o.at_ms DESC LIMIT ${MAX_OUTCOMES})`,
            [workspaceId, workspaceId, workspaceId, hashId, from, upTo],
          );
    return rows.map(({ context, ...row }) => ({
      ...row,
      seq: Number(row.seq),
      start: Number(row.start),
      category: row.category ?? '',
      surface: (JSON.parse(context) as { surface?: string }).surface,
    }));
  },

  /** Adds to what a content, or all (''), earned of a goal. */
  async addCounts(
    tx: Tx,
    workspaceId: string,
    of: { readonly goal: number; readonly contentId: string; readonly policy: string },
    { converted, value, squares }: GoalCounts,
  ): Promise<void> {
    await tx.sql.run(
      `INSERT INTO goal_count (workspace_id, goal, content_id, policy, converted, value, squares)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (workspace_id, goal, content_id, policy) DO UPDATE SET
         converted = goal_count.converted + excluded.converted, value = goal_count.value + excluded.value,
         squares = goal_count.squares + excluded.squares`,
      [workspaceId, of.goal, of.contentId, of.policy, converted, value, squares],
    );
  },
};
