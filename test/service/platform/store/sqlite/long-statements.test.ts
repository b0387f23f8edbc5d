import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { SqliteStore } from '../../../../../src/service/platform/store/sqlite/store.ts';

async function openStore(): Promise<{ store: SqliteStore; path: string }> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const path = join(dir, 'store.db');
  const store = await SqliteStore.open(path, systemClock);
  onTestFinished(() => store.close());
  await store.write(({ sql }) => sql.run('CREATE TABLE thing (n INTEGER PRIMARY KEY CHECK (n < 1000000))'));
  return { store, path };
}

/** Adds the numbers from 1 on that are at most `to`, in another thread. */
const ADD = `WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
  INSERT INTO thing SELECT n FROM number`;

const countOf = (store: SqliteStore) =>
  store.read(async ({ sql }) => (await sql.get<{ n: number }>('SELECT count(*) AS n FROM thing'))!.n);

test('the event loop goes on during a long statement, and the statements after it see what it wrote', async () => {
  const { store } = await openStore();
  let turns = 0;
  const turning = setInterval(() => turns++, 1);
  onTestFinished(() => clearInterval(turning));
  const seen = await store.write(async ({ sql }) => {
    const before = turns;
    const [added, after] = await Promise.all([
      sql.run(ADD, [300_000], { long: true }),
      sql.all('SELECT count(*) AS n FROM thing'),
    ]);
    return { added, after, turned: turns > before };
  });
  expect(seen).toEqual({ added: 300_000, after: [{ n: 300_000 }], turned: true });
  expect(await countOf(store)).toBe(300_000);
});

test('a long statement that fails undoes its transaction only', async () => {
  const { store } = await openStore();
  const [failed, other] = await Promise.allSettled([
    store.write(({ sql }) => sql.run(ADD, [1_000_001], { long: true }), { bulk: true }),
    store.write(({ sql }) => sql.run('INSERT INTO thing VALUES (7)'), { bulk: true }),
  ]);
  expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'ConstraintViolation' } });
  expect(other).toMatchObject({ status: 'fulfilled', value: 1 });
  expect(await countOf(store)).toBe(1);
});

test('a long statement that its transaction did not wait for is undone with it', async () => {
  const { store } = await openStore();
  const failing = store.write(async ({ sql }) => {
    void sql.run(ADD, [100_000], { long: true });
    throw new Error('changed its mind');
  });
  await expect(failing).rejects.toThrow('changed its mind');
  expect(await countOf(store)).toBe(0);
});

test('the log begins again under a steady load', async () => {
  const { store, path } = await openStore();
  await store.write(({ sql }) => sql.run('CREATE TABLE page (body BLOB)'));
  const body = Buffer.alloc(1024 * 1024, 'x');
  const write = async () => {
    for (let i = 0; i < 40; i++)
      await store.write(({ sql }) => sql.run('INSERT INTO page VALUES (?)', [body]), { bulk: true });
  };
  await Promise.all([write(), write(), write()]);
  expect(statSync(`${path}-wal`).size).toBeLessThan(40 * 1024 * 1024);
});
