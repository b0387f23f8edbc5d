import { statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { settings } from '../../../../../src/service/platform/store/settings.ts';
import { SqliteConnection } from '../../../../../src/service/platform/store/sqlite/connection.ts';
import { SqliteStore } from '../../../../../src/service/platform/store/sqlite/store.ts';
import { StoreUnavailable } from '../../../../../src/service/platform/store/store.ts';
import { tempDir } from '../../../../support/temp.ts';

test('statements after a full disk do not commit parts of the transaction', async () => {
  const connection = new SqliteConnection(join(tempDir(), 'full.db'));
  connection.exec('CREATE TABLE t (v BLOB)');
  connection.exec('PRAGMA max_page_count=8');
  connection.begin('IMMEDIATE');
  await connection.run('INSERT INTO t VALUES (?)', ['before']);
  await expect(connection.run('INSERT INTO t VALUES (zeroblob(1000000))')).rejects.toThrow(StoreUnavailable);
  // SQLite may have ended the transaction. In either case this must not be written.
  await expect(connection.run('INSERT INTO t VALUES (?)', ['after'])).rejects.toThrow(StoreUnavailable);
  await expect(connection.all('SELECT 1')).rejects.toThrow(StoreUnavailable);
  connection.rollBack();
  connection.begin('IMMEDIATE');
  expect(await connection.all('SELECT * FROM t')).toEqual([]);
  await connection.run('INSERT INTO t VALUES (?)', ['later']);
  connection.exec('COMMIT');
  expect(connection.allSync('SELECT v FROM t')).toEqual([{ v: 'later' }]);
  connection.close();
});

test('reads while another process holds the write lock, and writes once it is released', async () => {
  const path = join(tempDir(), 'locked.db');
  const store = await SqliteStore.open(path, systemClock);
  const other = new Database(path);
  other.exec('BEGIN IMMEDIATE');
  let written = false;
  const write = store.write((tx) => settings.set(tx, 'name', 1)).then(() => (written = true));
  // A wait inside SQLite would block the event loop.
  for (let turn = 0; turn < 10; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await store.read((tx) => settings.get(tx, 'name'))).toBeUndefined();
  }
  expect(written).toBe(false);
  other.exec('COMMIT');
  await write;
  expect(await store.read((tx) => settings.get(tx, 'name'))).toBe(1);
  other.close();
  await store.close();
});

test('its files are readable only by their owner from the start', async () => {
  const path = join(tempDir(), 'private.db');
  const before = process.umask(0);
  try {
    const store = await SqliteStore.open(path, systemClock);
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
    await store.close();
  } finally {
    process.umask(before);
  }
});
