import { systemClock } from '../../../src/kit/clock.ts';
import { migrateStore } from '../../../src/service/platform/open.ts';
import { MIGRATIONS } from '../../../src/service/platform/store/schema/index.ts';
import type { IndexDefinition, Migration } from '../../../src/service/platform/store/schema/migration.ts';

const BY_NAME: IndexDefinition = { name: 'event_by_name', unique: false, on: 'event (workspace_id, event)' };

/** A migration that a later version might have: it changes every row of a large table, and builds an index before. */
const second: Migration = {
  id: 2,
  indexes: () => [BY_NAME],
  up: () => [
    `CREATE INDEX IF NOT EXISTS ${BY_NAME.name} ON ${BY_NAME.on}`,
    'ALTER TABLE event ADD COLUMN shout TEXT',
    'UPDATE event SET shout = upper(event)',
  ],
};

/** The schema that the process migrates to. */
export const LATER: readonly Migration[] = [...MIGRATIONS, second];

/** A process that migrates a database, to be killed. Says when it begins, and when it has finished. */
if (process.argv[2]?.startsWith('{')) {
  const { database } = JSON.parse(process.argv[2]) as { database: string };
  process.stdout.write('{"begun":true}\n');
  await migrateStore(database, systemClock, LATER);
  process.exit(0);
}
