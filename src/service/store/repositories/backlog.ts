import type { Tx } from '../store.ts';

export interface Backlog {
  readonly kind: 'deliveries' | 'notifications';
  /** Number of due rows, counted up to COUNT_LIMIT. */
  readonly due: number;
  /** How long the oldest one has been due, in ms. */
  readonly oldestMs: number;
}

const COUNT_LIMIT = 10_000;

/** The due work that waits for the workers of all nodes. */
export async function backlog(tx: Tx): Promise<Backlog[]> {
  const of = async (kind: Backlog['kind'], table: 'delivery' | 'notification'): Promise<Backlog> => {
    const row = await tx.sql.get<{ due: number; oldest: number | null }>(
      `SELECT count(*) AS due, min(due_at) AS oldest FROM
         (SELECT due_at FROM ${table} WHERE due_at <= ? LIMIT ${COUNT_LIMIT}) AS d`,
      [tx.now],
    );
    return { kind, due: row!.due, oldestMs: row!.oldest === null ? 0 : tx.now - row!.oldest };
  };
  return [await of('deliveries', 'delivery'), await of('notifications', 'notification')];
}
