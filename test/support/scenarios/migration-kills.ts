import { join } from 'node:path';
import { systemClock } from '../../../src/kit/clock.ts';
import { byWorkspace } from '../../../src/service/store/migrations/008-by-workspace/index.ts';
import { SCHEMA_VERSION } from '../../../src/service/store/migrations/index.ts';
import { migrateStore } from '../../../src/service/store/open.ts';
import { generator } from '../generator.ts';
import { killable } from '../process/killable.ts';
import { ROOT } from '../process/run-svc.ts';
import { advanceOlder, columnsOfContent, contentOf, copyToRead, fillOlder, outside } from './older-store.ts';

/** The last schema before keys by workspace: later migrations move no rows. */
export const BEFORE_KEYS = byWorkspace.id - 1;

/**
 * Kills migrations of data of these schema versions, `kills` times each, and completes them. Returns in which states they
 * were killed, and the tables whose content differs from before, by version.
 */
export async function killMigrations(
  databases: () => Promise<string>,
  {
    versions,
    kills,
    events,
    seed,
  }: { versions: readonly number[]; kills: number; events: number; seed: number },
): Promise<{ differing: string[]; states: Set<string> }> {
  const program = await killable<{ begun: true }>(join(ROOT, 'test/support/scenarios/migrating.ts'));
  const random = generator(seed);
  const differing: string[] = [];
  const states = new Set<string>();
  try {
    for (const version of versions) {
      const database = await databases();
      const filled = Math.min(version, BEFORE_KEYS);
      await fillOlder(database, filled, 300, events);
      const before = await contentOf(database);
      await advanceOlder(database, filled, version);
      // Several kills of one migration.
      for (let killed = 0; killed < kills; killed++) {
        await program.start({ database });
        await new Promise((resolve) => setTimeout(resolve, 20 + random() * 250));
        await program.kill();
        states.add(await stateOf(database));
      }
      await migrateStore(database, systemClock);
      const after = await contentOf(database, columnsOfContent(before));
      for (const [table, rows] of before)
        if (JSON.stringify(after.get(table)) !== JSON.stringify(rows)) differing.push(`${version}: ${table}`);
    }
  } finally {
    await program.release();
  }
  return { differing, states };
}

/** How far the migration of a database is. */
async function stateOf(database: string): Promise<string> {
  const { rows, close } = await outside(copyToRead(database));
  try {
    const [row] = await rows('SELECT max(id) AS version FROM schema_migration');
    if (Number(row!.version) < SCHEMA_VERSION) return 'before';
    if (database.startsWith('postgres')) return 'after';
    const moving = await rows("SELECT name FROM sqlite_master WHERE name LIKE 'moving%' AND type = 'table'");
    return moving.length > 0 ? 'between' : 'after';
  } finally {
    await close();
  }
}
