import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/kit/clock.ts';
import { connectStore } from '../../../../src/service/platform/open.ts';
import { emptyDatabase } from '../../../support/postgres/database.ts';
import { startTestService } from '../../../support/process/service.ts';
import { tempDir } from '../../../support/temp.ts';

/** A database of this version in which `statements` were run. */
async function changed(...statements: string[]): Promise<string> {
  const database = await emptyDatabase(tempDir());
  const store = await connectStore(database, systemClock);
  await store.write(async ({ sql }) => {
    for (const statement of statements) await sql.run(statement);
  });
  await store.close();
  return database;
}

const UNPUBLISHED = /unpublished version of svc.*start with new data/;

it('refuses the data of an unpublished version, with the advice to start with new data', async () => {
  const database = await changed(
    'ALTER TABLE schema_version RENAME TO schema_migration',
    'UPDATE schema_migration SET id = 27',
  );
  await expect(startTestService({ database })).rejects.toThrow(UNPUBLISHED);
});

it('refuses data whose schema was changed since', async () => {
  const database = await changed("UPDATE schema_version SET digest = '0000000000000000'");
  await expect(startTestService({ database })).rejects.toThrow(UNPUBLISHED);
});

it('refuses data of a newer schema and does not change it', async () => {
  const database = await changed("INSERT INTO schema_version (id, digest, applied_at) VALUES (2, 'x', 0)");
  await expect(startTestService({ database })).rejects.toThrow(/schema version 2.*upgrade svc/);
});
