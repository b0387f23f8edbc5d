import { expect, test } from 'vitest';
import { systemClock } from '../../src/kit/clock.ts';
import { byWorkspace } from '../../src/service/store/migrations/008-by-workspace/index.ts';
import { SCHEMA_VERSION } from '../../src/service/store/migrations/index.ts';
import { connectStore, migrateStore } from '../../src/service/store/open.ts';
import { eventHeads } from '../../src/service/store/repositories/event-heads.ts';
import { events } from '../../src/service/store/repositories/events.ts';
import { eventBatch } from '../support/events/batch.ts';
import { emptyDatabase, onPostgres } from '../support/postgres/database.ts';
import { columnsOfContent, contentOf, fillOlder, outside } from '../support/scenarios/older-store.ts';
import { tempDir } from '../support/temp.ts';

const ROWS = 30;
/** The last version before keys by workspace: later migrations move no rows. */
const BEFORE = byWorkspace.id - 1;
const VERSIONS = Array.from({ length: BEFORE }, (_, i) => i + 1);

test.each(VERSIONS)('data of schema %i is equal to what it was after the migration', async (version) => {
  const database = await emptyDatabase(tempDir());
  await fillOlder(database, version, ROWS);
  const before = await contentOf(database);
  expect(before.get('event')).toHaveLength(ROWS);
  expect(await migrateStore(database, systemClock)).toEqual({ from: version, to: SCHEMA_VERSION });
  const after = await contentOf(database, columnsOfContent(before));
  for (const [table, rows] of before) expect(after.get(table), table).toEqual(rows);
  expect(await migrateStore(database, systemClock)).toEqual({ from: SCHEMA_VERSION, to: SCHEMA_VERSION });
});

test('events keep their numbers, and every workspace continues from the highest of all', async () => {
  const database = await emptyDatabase(tempDir());
  await fillOlder(database, BEFORE, ROWS);
  const store = await connectStore(database, systemClock);
  const body = eventBatch('{"events":[{"userId":"u","event":"e","timestamp":"2026-01-01T00:00:00Z"}]}');
  for (const workspace of ['ws_0', 'ws_1', 'ws_2']) {
    const old = (await store.read((tx) => events.after(tx, workspace, 0, 100))).rows;
    expect(old.map(({ userId, number }) => userId === `user_id ${number}`)).toEqual(
      Array(ROWS / 3).fill(true),
    );
    // A stream that read everything stood at the highest number of all workspaces.
    expect(await store.write((tx) => events.append(tx, workspace, body))).toMatchObject({ first: ROWS + 1 });
    const { rows } = await store.read((tx) => events.after(tx, workspace, ROWS, 100));
    expect(rows.map(({ userId }) => userId)).toEqual(['u']);
    expect((await store.read((tx) => eventHeads.get(tx, workspace))).number).toBe(ROWS + 1);
  }
  await store.close();
});

if (onPostgres)
  test('a node of an earlier version is refused where it counts a request', async () => {
    const database = await emptyDatabase(tempDir());
    await fillOlder(database, BEFORE, ROWS);
    const old = await outside(database);
    const count = () => old.rows("SELECT * FROM svc_admit('ws_0', 'ingest', 10, 60000, NULL, NULL, NULL)");
    expect(await count()).toHaveLength(1);
    await migrateStore(database, systemClock);
    // Class 57P: the earlier version answers 503 and closes the connection.
    await expect(count()).rejects.toMatchObject({ code: '57P03', message: /replace this node/ });
    await old.close();
  });

if (onPostgres)
  test('writers of an earlier version go on until the migration, and lose nothing', async () => {
    const database = await emptyDatabase(tempDir());
    await fillOlder(database, BEFORE, ROWS, 20_000);
    const old = await outside(database);
    let acknowledged = 0;
    const writing = (async () => {
      for (;;) {
        await old.run(
          "INSERT INTO event (workspace_id, user_id, event, timestamp, received_at) VALUES ('ws_0', 'during', 'e', 't', 1)",
        );
        acknowledged++;
      }
    })().catch((error) => error as { code: string });
    await migrateStore(database, systemClock);
    // Numbers are assigned by the head now.
    expect(await writing).toMatchObject({ code: '23502' });
    expect(acknowledged).toBeGreaterThan(10);
    const [row] = await old.rows("SELECT count(*)::int AS n FROM event WHERE user_id = 'during'");
    expect(row).toEqual({ n: acknowledged });
    const [above] = await old.rows(
      'SELECT count(*)::int AS n FROM event e JOIN event_head h ON h.workspace_id = e.workspace_id WHERE e.number > h.number',
    );
    expect(above).toEqual({ n: 0 });
    await old.close();
  });

if (!onPostgres)
  test('a file that another process of an earlier version has open is not migrated', async () => {
    const database = await emptyDatabase(tempDir());
    await fillOlder(database, BEFORE, ROWS);
    const old = await outside(database);
    await old.run('SELECT 1 FROM event LIMIT 1');
    const before = await contentOf(database);
    await expect(migrateStore(database, systemClock)).rejects.toThrow(
      /another process has it open.*svc serve migrate/,
    );
    expect(await contentOf(database)).toEqual(before);
    await old.close();
  });
