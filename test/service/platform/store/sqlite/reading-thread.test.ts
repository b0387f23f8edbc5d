import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { ReadingThread } from '../../../../../src/service/platform/store/sqlite/reading-thread.ts';
import { SqliteStore } from '../../../../../src/service/platform/store/sqlite/store.ts';
import { StoreUnusable } from '../../../../../src/service/platform/store/store.ts';
import { tempDir } from '../../../../support/temp.ts';

async function opened() {
  const store = await SqliteStore.openToRead(join(tempDir(), 'data.db'), systemClock);
  onTestFinished(() => store.close());
  return store;
}

/** Takes a second or so in SQLite. */
const LONG = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) AS count FROM n`;

test('the process goes on while a statement runs', async () => {
  const store = await opened();
  await store.read(({ sql }) => sql.get('SELECT 1 AS one'));
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  const row = await store.read(({ sql }) => sql.get<{ count: number }>(LONG));
  clearInterval(counting);
  expect(row).toEqual({ count: 3_000_000 });
  expect(turns).toBeGreaterThan(1);
});

test('a read sees one moment, and its values are those of the other connections', async () => {
  const store = await opened();
  const insert = (name: string) =>
    store.write(({ sql }) =>
      sql.run(`INSERT INTO setting (name, value) VALUES ('${name}', '"é\u{1f600}"')`, []),
    );
  await insert('a');
  const counts = await store.read(async ({ sql, now }) => {
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
    const count = () =>
      sql
        .get<{ n: number }>("SELECT count(*) AS n FROM setting WHERE name IN ('a', 'b')")
        .then((row) => row!.n);
    const before = await count();
    await insert('b');
    return [before, await count()];
  });
  expect(counts).toEqual([1, 1]);
  const all = await store.read(({ sql }) =>
    sql.all("SELECT value, x'0aff' AS bytes, 1.5 AS real, NULL AS none FROM setting WHERE name = ?", ['b']),
  );
  expect(all).toEqual([{ value: '"é\u{1f600}"', bytes: new Uint8Array([10, 255]), real: 1.5, none: null }]);
});

test('an error is that of the store, and the next read works', async () => {
  const store = await opened();
  await expect(store.read(({ sql }) => sql.get('SELECT one FROM nowhere'))).rejects.toThrow('nowhere');
  expect(await store.read(({ sql }) => sql.get('SELECT 1 AS one'))).toEqual({ one: 1 });
  const path = join(tempDir(), 'text.db');
  writeFileSync(path, 'no database, but some text that is longer than a header of SQLite is'.repeat(20));
  const thread = new ReadingThread(path, 1000);
  onTestFinished(() => thread.close());
  await expect(thread.get('SELECT count(*) FROM sqlite_master')).rejects.toThrow(StoreUnusable);
});
