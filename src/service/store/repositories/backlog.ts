import type { Tx } from '../store.ts';

/** The due work of one kind. */
export interface Backlog {
  readonly kind: 'deliveries' | 'notifications';
  /** Rows that are due, counted up to `MAX_COUNTED`. */
  readonly due: number;
  /** How long the oldest of them has been due, in ms. */
  readonly oldestMs: number;
}

const MAX_COUNTED = 10_000;

/** Reads how much work is due for the workers of all nodes. */
export async function readBacklog(tx: Tx): Promise<Backlog[]> {
  return [
    await backlogOf(tx, 'deliveries', 'delivery'),
    await backlogOf(tx, 'notifications', 'notification'),
  ];
}

async function backlogOf(
  tx: Tx,
  kind: Backlog['kind'],
  table: 'delivery' | 'notification',
): Promise<Backlog> {
  const row = await tx.sql.get<{ due: number; oldest: number | null }>(
    `SELECT count(*) AS due, min(due_at) AS oldest FROM
       (SELECT due_at FROM ${table} WHERE due_at <= ? LIMIT ${MAX_COUNTED}) AS d`,
    [tx.now],
  );
  return { kind, due: row!.due, oldestMs: row!.oldest === null ? 0 : tx.now - row!.oldest };
}
