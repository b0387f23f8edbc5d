import type { NumberedLog } from '../retained-logs.ts';
import { LOG_TABLES } from '../retention/log-tables.ts';
import { finishedUpTo } from '../retention/removals.ts';
import { type Sql, StoreUnavailable } from '../store.ts';

/**
 * Drops a partition and records for each workspace what is gone. Fails with StoreUnavailable for decisions whose rewards
 * are not learned or not counted yet.
 */
export async function dropPartition(sql: Sql, log: NumberedLog, name: string, before: number): Promise<void> {
  const { number } = LOG_TABLES[log];
  if (log === 'decisions') {
    const unfinished = await sql.get(
      sql.dialect.distributed
        ? unfinishedOnCitus(name)
        : `SELECT 1 AS one FROM (SELECT workspace_id, ${finishedUpTo('reward_head.workspace_id')} AS seq FROM reward_head) AS h
         JOIN reward r ON r.workspace_id = h.workspace_id AND r.seq > h.seq
         JOIN ${name} d ON d.workspace_id = r.workspace_id AND d.decision_id = r.decision_id
       LIMIT 1`,
    );
    if (unfinished)
      throw new StoreUnavailable('outcomes have yet to be learned or counted', { code: '55P03' });
  }
  await sql.run(
    `INSERT INTO removal (workspace_id, log, number, before_ms)
     SELECT workspace_id, ?, number, ? FROM (${sql.dialect.distributed ? lastOnCitus(name, number) : lastOf(name, number)}) AS found
     WHERE number IS NOT NULL
     ON CONFLICT (workspace_id, log) DO UPDATE SET number = greatest(removal.number, excluded.number),
       before_ms = greatest(removal.before_ms, excluded.before_ms)`,
    [log, before],
  );
  await sql.run(`DROP TABLE ${name}`);
}

/** The highest number of each workspace in a partition, by one look into its index for each. */
const lastOf = (name: string, number: string) => `
  SELECT w.workspace_id, (SELECT max(p.${number}) FROM ${name} p WHERE p.workspace_id = w.workspace_id) AS number
  FROM workspace w`;

/** Where the workspaces are on the coordinator and the partition is on the workers: each one reads its part. */
const lastOnCitus = (name: string, number: string) =>
  `SELECT workspace_id, max(${number}) AS number FROM ${name} GROUP BY workspace_id`;

/** As in dropPartition, in the form that each worker can answer for its part. */
const unfinishedOnCitus = (name: string) => `
  SELECT 1 AS one FROM reward_head h
    LEFT JOIN model_head m ON m.workspace_id = h.workspace_id
    LEFT JOIN content_count_head c ON c.workspace_id = h.workspace_id
    JOIN reward r ON r.workspace_id = h.workspace_id AND r.seq > least(COALESCE(m.learned_seq, 0), COALESCE(c.seq, 0))
    JOIN ${name} d ON d.workspace_id = r.workspace_id AND d.decision_id = r.decision_id
  LIMIT 1`;
