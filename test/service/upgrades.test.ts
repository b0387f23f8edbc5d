import { expect, test } from 'vitest';
import { listKeys, listWorkspaces } from '../../src/service/runtime/accounts.ts';
import { keys } from '../../src/service/store/migrations/009-keys.ts';
import { MIGRATIONS, SCHEMA_VERSION } from '../../src/service/store/migrations/index.ts';
import { filesOf } from '../../src/service/store/open.ts';
import { events } from '../../src/service/store/repositories/events.ts';
import { emptyDatabase } from '../support/postgres/database.ts';
import { startTestService } from '../support/process/service.ts';
import { OLDER, writeOlder } from '../support/scenarios/older-data.ts';
import { tempDir } from '../support/temp.ts';

test.each(MIGRATIONS.map(({ id }) => id))('opens and uses data of schema %i', async (version) => {
  const database = await emptyDatabase(tempDir());
  const dataDir = tempDir();
  await writeOlder(database, filesOf(database, dataDir), version);
  // The second start opens the data as migrated by the first one: by then all of it has the same schema.
  for (const start of version === MIGRATIONS[0]!.id ? [1, 2] : [1]) {
    const service = await startTestService({ database, dataDir });
    expect([service.workspace, service.apiKey]).toEqual([OLDER.workspace, OLDER.apiKey]);
    const { rows: stored } = await service.deps.store.read((tx) => events.after(tx, OLDER.workspace, 0, 10));
    expect(stored.slice(0, 2)).toMatchObject([
      { userId: 'u1', properties: '{"n":12345678901234567890}' },
      { userId: 'u2' },
    ]);
    const replay = await service.fetch('/v1/events', {
      raw: OLDER.body,
      headers: { 'idempotency-key': OLDER.key },
    });
    expect([replay.headers.get('idempotent-replayed'), await replay.text()]).toEqual(['true', OLDER.answer]);
    expect((await service.fetch('/v1/events', { raw: OLDER.body })).status).toBe(202);
    expect((await service.fetch('/v1/decisioning/decide', { body: { hashId: 'h' } })).status).toBe(200);
    const rows = await service.deps.store.read((tx) =>
      tx.sql.all<{ id: number }>('SELECT id FROM schema_migration ORDER BY id'),
    );
    expect(rows.map(({ id }) => Number(id))).toEqual(MIGRATIONS.map(({ id }) => id));
    expect(stored).toHaveLength(1 + start);
    // A workspace of an earlier version has no mode and keeps sending; its key can be revoked by its id.
    expect(await listWorkspaces(service.deps.store)).toMatchObject([{ id: OLDER.workspace, mode: null }]);
    if (version < keys.id)
      expect((await listKeys(service.deps.store, OLDER.workspace))[0]?.keyId).toMatch(/^key_/);
    await service.close();
  }
});

test('refuses data of a newer schema and does not change it', async () => {
  const database = await emptyDatabase(tempDir());
  const first = await startTestService({ database });
  await first.deps.store.write((tx) =>
    tx.sql.run('INSERT INTO schema_migration (id, applied_at) VALUES (?, 0)', [SCHEMA_VERSION + 1]),
  );
  await first.close();
  await expect(startTestService({ database })).rejects.toThrow(/upgrade svc/);
});
