import { listed } from '../../platform/store/listed.ts';
import type { Cutoffs } from '../../platform/store/retained-logs.ts';
import { deleteSome } from '../../platform/store/rows.ts';
import type { Tx } from '../../platform/store/store.ts';
import type { LoggedOccurrence } from '../rules/occurrence.ts';
import { isWanted } from './stored-filters.ts';

/** The most outcomes that are counted. */
export const MAX_COUNTED = 100_000;

/** Outcomes that are read at once to be counted. */
const COUNTED_AT_ONCE = 1000;

/** A place in the log: outcomes of one time are ordered by identifier. */
export interface LogPlace {
  readonly at: number;
  readonly id: string;
}

/** What a subscription missed: counted up to MAX_COUNTED. */
export interface Missed {
  readonly outcomes: number;
  /** Of users who were erased: they are not sent. */
  readonly erased: number;
}

/** The log of what subscribers are told, whether or not one is subscribed. */
export const outcomeLog = {
  async add(tx: Tx, workspaceId: string, occurrence: LoggedOccurrence): Promise<void> {
    const { id, kind, occurredAt, hashId } = occurrence;
    await tx.sql.run(
      `INSERT INTO outcome_log (workspace_id, outcome_id, kind, occurred_at, hash_id, occurrence)
       VALUES (?, ?, ?, ?, ?, ?)`,
      [workspaceId, id, kind, occurredAt, hashId || null, JSON.stringify(occurrence)],
    );
  },

  /** Counts the outcomes of some kinds since a time, Unix ms. */
  async count(tx: Tx, workspaceId: string, kinds: readonly string[], since: number): Promise<Missed> {
    const { text, param } = listed(tx.sql.dialect, 'kind', kinds);
    const row = await tx.sql.get<Missed>(
      `SELECT count(*) AS outcomes, COALESCE(sum(CASE WHEN occurrence IS NULL THEN 1 ELSE 0 END), 0) AS erased FROM
         (SELECT occurrence FROM outcome_log WHERE workspace_id = ? AND occurred_at >= ? AND ${text} LIMIT ?) AS o`,
      [workspaceId, since, param, MAX_COUNTED],
    );
    return { outcomes: Number(row!.outcomes), erased: Number(row!.erased) };
  },

  /** Counts the outcomes of some kinds since a time that a filter lets pass. Those of erased users count whatever they were. */
  async countFiltered(
    tx: Tx,
    workspaceId: string,
    kinds: readonly string[],
    since: number,
    filter: string,
  ): Promise<Missed> {
    const counts = { outcomes: 0, erased: 0 };
    let after: LogPlace = { at: since, id: '' };
    for (let read = 0; read < MAX_COUNTED; read += COUNTED_AT_ONCE) {
      const page = await outcomeLog.page(tx, workspaceId, after, Number.MAX_SAFE_INTEGER, COUNTED_AT_ONCE);
      for (const { kind, occurrence } of page) {
        if (!kinds.includes(kind)) continue;
        if (occurrence === null) counts.erased++;
        if (occurrence === null || isWanted(filter, JSON.parse(occurrence))) counts.outcomes++;
      }
      if (page.length < COUNTED_AT_ONCE) break;
      after = page.at(-1)!;
    }
    return counts;
  },

  /** The next outcomes behind a place, in order of occurrence. Those of erased users have no occurrence. */
  page(
    tx: Tx,
    workspaceId: string,
    after: LogPlace,
    until: number,
    limit: number,
  ): Promise<(LogPlace & { readonly kind: string; readonly occurrence: string | null })[]> {
    return tx.sql.all(
      `SELECT occurred_at AS at, outcome_id AS id, kind, occurrence FROM outcome_log
       WHERE workspace_id = ? AND (occurred_at, outcome_id) > (?, ?) AND occurred_at <= ?
       ORDER BY occurred_at, outcome_id LIMIT ?`,
      [workspaceId, after.at, after.id, until, limit],
    );
  },

  /** Deletes up to `limit` outcomes that are no longer kept. Returns how many. */
  async purge(tx: Tx, workspaceId: string, limit: number, { outcomes }: Cutoffs): Promise<number> {
    if (outcomes === null) return 0;
    const table = { table: 'outcome_log', key: 'outcome_id' };
    return deleteSome(tx, workspaceId, table, 'occurred_at < ?', [outcomes], limit);
  },
};
