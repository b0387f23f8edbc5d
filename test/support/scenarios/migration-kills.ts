import { join } from 'node:path';
import { systemClock } from '../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../src/service/admin/create-workspace.ts';
import { connectStore, migrateStore } from '../../../src/service/platform/open.ts';
import { generator } from '../generator.ts';
import { killable } from '../process/killable.ts';
import { ROOT } from '../process/run-svc.ts';
import { LATER } from './migrating.ts';
import { copyToRead, outside } from './outside.ts';

const WORKSPACE = 'ws_kills';

/**
 * Kills a migration of a database with `events` events `kills` times, and completes it. Returns in which states it was
 * killed (`before` or `after`; a third one would be a fault), and how many rows it has and has changed.
 */
export async function killMigration(
  database: string,
  { kills, events, seed }: { kills: number; events: number; seed: number },
): Promise<{ states: Set<string>; rows: number; changed: number }> {
  await fill(database, events);
  const program = await killable<{ begun: true }>(join(ROOT, 'test/support/scenarios/migrating.ts'));
  const random = generator(seed);
  const states = new Set<string>();
  try {
    for (let killed = 0; killed < kills; killed++) {
      await program.start({ database });
      await new Promise((resolve) => setTimeout(resolve, 20 + random() * 250));
      await program.kill();
      states.add(await stateOf(database));
    }
    await migrateStore(database, systemClock, LATER);
  } finally {
    await program.release();
  }
  const { rows, close } = await outside(copyToRead(database));
  const [row] = await rows(
    "SELECT count(*) AS n, sum(CASE WHEN shout = 'ORDERED' AND event = 'ordered' THEN 1 ELSE 0 END) AS changed FROM event",
  );
  await close();
  return { states, rows: Number(row!.n), changed: Number(row!.changed) };
}

async function fill(database: string, events: number): Promise<void> {
  const store = await connectStore(database, systemClock);
  await store.write(async (tx) => {
    await createWorkspaceRows(tx, { id: WORKSPACE, region: null, mode: 'test' });
    await tx.sql.run(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${events})
       INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, received_at)
       SELECT '${WORKSPACE}', n, 'u', 'ordered', '2026-01-01T00:00:00Z', '{}', 0 FROM numbers`,
    );
  });
  await store.close();
}

/** How far the migration of a database is, by everything that it changes. */
async function stateOf(database: string): Promise<string> {
  const { rows, close } = await outside(copyToRead(database));
  try {
    const versions = await rows('SELECT max(id) AS version FROM schema_version');
    const columns = Object.keys((await rows('SELECT * FROM event LIMIT 1'))[0]!);
    const version = Number(versions[0]!.version);
    const changed = columns.includes('shout');
    if (version === 1 && !changed) return 'before';
    return version === 2 && changed ? 'after' : `between: ${version}, ${columns.join()}`;
  } finally {
    await close();
  }
}
