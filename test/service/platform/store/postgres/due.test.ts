import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { due } from '../../../../../src/service/platform/store/due.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';
import { outsider } from '../../../../support/postgres/row-lock.ts';

async function open() {
  const url = await postgresDatabase();
  const store = await PostgresStore.open(url, systemClock);
  onTestFinished(() => store.close());
  return { store, other: await outsider(url) };
}

it('a mark that is committed after a worker has looked stays, and nobody waits for another', async () => {
  const { store } = await open();
  let commit = () => {};
  let marked = () => {};
  const stored = new Promise<void>((resolve) => {
    marked = resolve;
  });
  const writer = store.write(async (tx) => {
    await due.mark(tx, 'ws', 'settle');
    marked();
    await new Promise<void>((resolve) => {
      commit = resolve;
    });
  });
  await stored;
  await store.write((tx) => due.mark(tx, 'ws', 'settle'));
  await store.write((tx) => due.clear(tx, 'ws', 'settle'));
  expect((await store.read((tx) => due.page(tx, undefined, 'settle', '', 10))).found).toEqual([]);
  commit();
  await writer;
  expect((await store.read((tx) => due.page(tx, undefined, 'settle', '', 10))).found).toEqual(['ws']);
});

it('a look reads the marks that are due, however many workspaces there are', async () => {
  const { store, other } = await open();
  await other.query(
    `INSERT INTO due (workspace_id, lane, due_at, due_id)
     SELECT 'ws_' || i, lane, 4102444800000, 'd' FROM generate_series(1, 3000) i, unnest(ARRAY['settle', 'learn']) lane`,
  );
  await store.write(async (tx) => {
    for (const id of ['ws_7', 'ws_8', 'ws_9']) await due.mark(tx, id, 'settle');
  });
  const readBy = async () => {
    await other.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await other.query(
      `SELECT (SELECT COALESCE(sum(idx_tup_read), 0) FROM pg_stat_user_indexes WHERE relname = 'due')::int
         + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'due')::int AS tuples`,
    );
    return rows[0].tuples as number;
  };
  const before = await readBy();
  const found = await store.read(async (tx) => {
    const { found: ids } = await due.page(tx, undefined, 'settle', '', 32);
    await tx.sql.get('SELECT pg_stat_force_next_flush()');
    return ids;
  });
  expect(found).toEqual(['ws_7', 'ws_8', 'ws_9']);
  await expect.poll(readBy).toBeGreaterThan(before);
  expect((await readBy()) - before).toBeLessThan(20);
});
