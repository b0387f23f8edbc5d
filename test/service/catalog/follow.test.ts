import { expect, it, onTestFinished } from 'vitest';
import { followCatalogs } from '../../../src/service/catalog/follow.ts';
import { sqliteDialect } from '../../../src/service/platform/store/sqlite/connection.ts';
import type { Sql, Store, Tx } from '../../../src/service/platform/store/store.ts';

const catalog = (contentId: string) =>
  JSON.stringify({ contents: [{ contentId, category: 'any', format: 'card', title: 'T', body: 'B' }] });

it('keeps what the latest read found, although an earlier one ends later', async () => {
  let stored = 1;
  let notify = () => {};
  /** Holds up the reads of the newest versions, one each. */
  const delays: Promise<void>[] = [];
  const sql: Sql = {
    dialect: sqliteDialect,
    all: async <T>() => {
      const found = [{ id: 'ws', version: stored, at: 1 }] as T[];
      await delays.shift();
      return found;
    },
    get: async <T>(text: string, params: readonly unknown[] = []) =>
      (text.includes('FROM catalog_version')
        ? {
            version: params[1],
            at: 1,
            author: null,
            note: null,
            revertOf: null,
            bytes: 1,
            body: catalog(`v${params[1]}`),
          }
        : undefined) as T | undefined,
    run: async () => 0,
  };
  const tx: Tx = {
    sql,
    now: 2,
    lock: async () => {},
    tryLock: async () => true,
    notify: async () => {},
    deferUntilCommit: () => {},
  };
  const store = {
    read: <T>(work: (tx: Tx) => Promise<T>) => work(tx),
    subscribe: (_: string, listener: () => void) => {
      notify = listener;
      return () => {};
    },
  } as unknown as Store;
  const catalogs = await followCatalogs(store, undefined, () => {});
  onTestFinished(() => catalogs.stop());
  const chosen = async () => [...(await catalogs.of(tx, 'ws')).byId.keys()];
  expect(await chosen()).toEqual(['v1']);

  let release = () => {};
  delays.push(new Promise<void>((resolve) => (release = resolve)));
  stored = 2;
  notify();
  // The first read has found version 2 and waits; the second one finds version 3.
  await new Promise((resolve) => setImmediate(resolve));
  stored = 3;
  notify();
  await new Promise((resolve) => setImmediate(resolve));
  release();
  await expect.poll(chosen).toEqual(['v3']);
  await new Promise((resolve) => setImmediate(resolve));
  expect(await chosen()).toEqual(['v3']);
});
