import type { Tx } from './store.ts';

/** Runs the cheapest statement there is. Rejects if the database does not answer. */
export async function ping(tx: Tx): Promise<void> {
  await tx.sql.get('SELECT 1 AS one');
}
