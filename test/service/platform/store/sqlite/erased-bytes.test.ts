import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { seededRandom } from '../../../../../src/kit/random.ts';
import { createWorkspaceRows } from '../../../../../src/service/admin/create-workspace.ts';
import { SqliteStore } from '../../../../../src/service/platform/store/sqlite/store.ts';
import {
  copiesIn,
  ERASED,
  fillAndDelete,
  ingest,
  WORKSPACE,
} from '../../../../support/erasure/erased-store.ts';
import { tempDir } from '../../../../support/temp.ts';

/** The address of the user, and its parts, one of which a partly overwritten copy would have. */
const TRACES = [ERASED, ERASED.slice(0, 12), ERASED.slice(12)];

async function openStore(database: string): Promise<SqliteStore> {
  const store = await SqliteStore.open(database, systemClock);
  onTestFinished(() => store.close());
  return store;
}

async function filledStore(seed: string): Promise<{ database: string; store: SqliteStore }> {
  const database = join(tempDir(), 'service.db');
  const store = await openStore(database);
  await store.write((tx) => createWorkspaceRows(tx, { id: WORKSPACE, region: null, mode: 'test' }));
  await fillAndDelete(store, seed);
  return { database, store };
}

test.each(['1', '2', '3', '4'])('deleted rows leave no byte in the file (seed %s)', async (seed) => {
  const { database, store } = await filledStore(seed);
  expect(await store.scrub(async () => true)).toBe(true);
  expect(TRACES.map((text) => copiesIn(database, text))).toEqual([0, 0, 0]);
});

test('deleted rows leave no byte in the file while two stores write to it', async () => {
  const { database, store } = await filledStore('writers');
  const other = await openStore(database);
  const random = seededRandom('other users');
  let pieces = 0;
  const proceed = async () => {
    await Promise.all([ingest(store, random, 0, 20), ingest(other, random, 0, 20), store.shrink()]);
    pieces++;
    return true;
  };
  expect(await store.scrub(proceed)).toBe(true);
  expect(pieces).toBeGreaterThan(10);
  expect(TRACES.map((text) => copiesIn(database, text))).toEqual([0, 0, 0]);
  const row = await store.read(({ sql }) =>
    sql.get<{ result: string }>('SELECT integrity_check AS result FROM pragma_integrity_check'),
  );
  expect(row!.result).toBe('ok');
});

test('a scrub ends beside writes without a pause', async () => {
  const { database, store } = await filledStore('busy');
  let busy = true;
  // Each begins before the one before it ends.
  const write = (): Promise<void> =>
    store.write(async ({ sql }) => {
      await sql.run('UPDATE event SET received_at = received_at + 1 WHERE workspace_id = ? AND number = 1', [
        WORKSPACE,
      ]);
      if (busy) writes.push(write());
    });
  const writes = [write()];
  expect(await store.scrub(async () => true)).toBe(true);
  expect(TRACES.map((text) => copiesIn(database, text))).toEqual([0, 0, 0]);
  busy = false;
  await Promise.all(writes);
});

test('a scrub that is told to end does so, and the next one completes it', async () => {
  const { database, store } = await filledStore('ended');
  let left = 5;
  expect(await store.scrub(async () => left-- > 0)).toBe(false);
  expect(await store.scrub(async () => true)).toBe(true);
  expect(TRACES.map((text) => copiesIn(database, text))).toEqual([0, 0, 0]);
});
