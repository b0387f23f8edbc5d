import type { Tx } from '../store.ts';

/** Resolves if the database answers a query. */
export async function ping(tx: Tx): Promise<void> {
  await tx.sql.get('SELECT 1 AS one');
}
