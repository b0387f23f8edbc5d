import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorkspaceRows } from '../../../../src/service/admin/create-workspace.ts';
import { events } from '../../../../src/service/events/store/events.ts';
import { apiKeys } from '../../../../src/service/http/access/api-keys.ts';
import type { Limiter } from '../../../../src/service/platform/limits/limiter.ts';
import {
  type SteadyClock,
  systemSteadyClock,
} from '../../../../src/service/platform/limits/limiter-clock.ts';
import { idempotency } from '../../../../src/service/platform/store/idempotency.ts';
import { settings } from '../../../../src/service/platform/store/settings.ts';
import {
  ConstraintViolation,
  type Store,
  type Topic,
  type Tx,
} from '../../../../src/service/platform/store/store.ts';
import { testClock } from '../../../../src/service/platform/store/test-clock.ts';
import { workspaces } from '../../../../src/service/platform/store/workspaces.ts';
import { eventBatch } from '../../../support/events/batch.ts';
import { storesIdsOnce } from '../../events/ids.ts';

/** A storage engine under test: opens stores on one new database, one per simulated process. */
export interface Engine {
  /** Opens one more store on the database of this suite. */
  open(): Promise<Store>;
  limiter(store: Store, steady: SteadyClock): Promise<Limiter>;
  close?(): Promise<void>;
}

const WORKSPACE = 'ws_1';
const body = (...list: object[]) => JSON.stringify({ events: list });
const event = { userId: 'u', event: 'opened', timestamp: '2026-01-01T00:00:00Z' };

/** The contract of Store and the repositories, for every engine. */
export function conforms(name: string, prepare: () => Promise<Engine>): void {
  describe(`a store on ${name}`, () => {
    let engine: Engine;
    let store: Store;
    let other: Store;
    beforeAll(async () => {
      engine = await prepare();
      [store, other] = await Promise.all([engine.open(), engine.open()]);
      await store.write((tx) => createWorkspaceRows(tx, { id: WORKSPACE, region: 'eu', mode: 'live' }));
    });
    afterAll(async () => {
      await store?.close();
      await other?.close();
      await engine?.close?.();
    });
    const stored = async () => {
      return (await store.read((tx) => events.after(tx, WORKSPACE, 0, 10_000))).rows;
    };

    storesIdsOnce(() => [store, other]);

    it('is opened by several processes at once and creates its schema once', async () => {
      const nodes = await Promise.all(Array.from({ length: 20 }, () => engine.open()));
      const rows = await store.read((tx) => tx.sql.all<{ id: number }>('SELECT id FROM schema_version'));
      expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
      for (const node of nodes) await node.close();
    });

    it('has the time of its test clock in every transaction of every process', async () => {
      const own = await prepare();
      const [one, two] = await Promise.all([own.open(), own.open()]);
      await one.write((tx) => testClock.create(tx));
      const later = await own.open();
      const timeOf = (of: Store) => of.read(async (tx) => tx.now);
      const day = 86_400_000;
      const before = await timeOf(one);
      await one.write(async (tx) => {
        await testClock.moveTo(tx, (await testClock.get(tx))!, tx.now + day);
        // Its own time stays.
        expect(tx.now).toBeLessThan(before + day);
      });
      const row = await later.readOne('SELECT 1 AS one', []);
      expect(row!.now).toBeGreaterThanOrEqual(before + day);
      for (const of of [one, later]) {
        expect(await timeOf(of)).toBeGreaterThanOrEqual(before + day);
        expect(await of.write(async (tx) => tx.now)).toBeGreaterThanOrEqual(before + day);
        expect(of.clockOffset).toBeGreaterThan(day - 60_000);
      }
      // It ran when the store got its clock.
      await expect.poll(() => timeOf(two)).toBeGreaterThanOrEqual(before + day);
      for (const of of [one, two, later]) await of.close();
      await own.close?.();
    });

    it('rolls back only the transaction that throws', async () => {
      const good = store.write((tx) => settings.set(tx, 'good', 1));
      const bad = store.write(async (tx) => {
        await settings.set(tx, 'bad', 1);
        throw new Error('no');
      });
      await expect(bad).rejects.toThrow('no');
      await good;
      const found = await other.read(async (tx) => [
        await settings.get(tx, 'good'),
        await settings.get(tx, 'bad'),
      ]);
      expect(found).toEqual([1, undefined]);
    });

    it('rolls back a transaction whose last statements fail, with their error', async () => {
      const insert = (tx: Tx, id: string, key: Uint8Array | null) =>
        tx.sql.run(
          `INSERT INTO workspace (workspace_id, mode, hash_key, created_at) VALUES (?, 'live', ?, 1)`,
          [id, key],
        );
      const add = (ids: readonly string[], key: Uint8Array | null) =>
        store.write(
          async (tx) => {
            await tx.sql.get('SELECT 1 AS one');
            tx.deferUntilCommit([
              ...ids.map((id) => insert(tx, id, Uint8Array.of(1))),
              insert(tx, 'ws_last', key),
            ]);
            return tx.now;
          },
          { pipelinedBegin: true },
        );
      await expect(add(['ws_lost'], null)).rejects.toThrow(ConstraintViolation);
      expect(await add(['ws_kept', 'ws_too'], Uint8Array.of(2))).toBeGreaterThan(0);
      const ids = await other.read((tx) => workspaces.ids(tx, '', 100));
      expect(ids.filter((id) => /^ws_(lost|kept|too|last)$/.test(id))).toEqual([
        'ws_kept',
        'ws_last',
        'ws_too',
      ]);
    });

    it('rejects a transaction that throws with a failure of its last statements, which is the cause', async () => {
      const both = store.write(async (tx) => {
        tx.deferUntilCommit([tx.sql.run('INSERT INTO no_such_table VALUES (1)')]);
        await tx.sql.get('SELECT 1 AS one');
        return 'done';
      });
      await expect(both).rejects.toThrow('no_such_table');
    });

    it('rejects with a failure of its last statements that is known before it commits', async () => {
      const failed = store.write(async (tx) => {
        tx.deferUntilCommit([Promise.reject(new Error('known early'))]);
        // A rejection that nobody has handled by now ends the process.
        await new Promise((resolve) => setTimeout(resolve, 20));
      });
      await expect(failed).rejects.toThrow('known early');
    });

    it('returns numbers, text, bytes and null unchanged', async () => {
      const bytes = Uint8Array.from([0, 255, 1]);
      const row = await store.write(async (tx) => {
        await tx.sql.run(
          `INSERT INTO workspace (workspace_id, mode, region, hash_key, created_at) VALUES (?, 'live', ?, ?, ?)`,
          ['ws_values', null, bytes, 2 ** 52],
        );
        return tx.sql.get<{ region: null; key: Uint8Array; at: number; n: number; text: string }>(
          `SELECT region, hash_key AS key, created_at AS at, count(*) OVER () AS n, 'a?b' AS text
           FROM workspace WHERE workspace_id = ?`,
          ['ws_values'],
        );
      });
      expect(row).toMatchObject({ region: null, at: 2 ** 52, n: 1, text: 'a?b' });
      expect([...row!.key]).toEqual([...bytes]);
    });

    it('provides a time that is constant in a transaction and close to the system clock', async () => {
      const [first, later] = await store.write(async (tx) => {
        const now = tx.now;
        await settings.set(tx, 'time', 1);
        return [now, tx.now];
      });
      expect(Number.isInteger(first)).toBe(true);
      expect(later).toBe(first);
      expect(Math.abs(first! - Date.now())).toBeLessThan(10_000);
    });

    it('reads a consistent snapshot', async () => {
      await store.write((tx) => settings.set(tx, 'twice', 1));
      const seen = await store.read(async (tx) => {
        const before = await settings.get(tx, 'twice');
        await other.write((inner) => settings.set(inner, 'twice', 2));
        return [before, await settings.get(tx, 'twice')];
      });
      expect(seen).toEqual([1, 1]);
    });

    it('rejects data that violates a constraint', async () => {
      const long = body({ ...event, userId: 'x'.repeat(257) });
      await expect(store.write((tx) => events.append(tx, WORKSPACE, eventBatch(long)))).rejects.toThrow(
        ConstraintViolation,
      );
      expect(await stored()).toEqual([]);
    });

    it('stores a batch in order and its properties verbatim', async () => {
      const raw = `{"events":[{"timestamp":"2026-01-01T00:00:00Z","event":"e","userId":"é😀\\u00e9","properties":{"n":12345678901234567890,"x":1.50,"b":1e400,"a":"\\u00e9"}},${JSON.stringify(event)}]}`;
      await store.write((tx) => events.append(tx, WORKSPACE, eventBatch(raw)));
      const [first, second] = await stored();
      expect(first).toMatchObject({
        userId: 'é😀é',
        properties: '{"n":12345678901234567890,"x":1.50,"b":1e400,"a":"\\u00e9"}',
      });
      expect(second).toMatchObject({ userId: 'u', event: 'opened', properties: null });
      expect(second!.number).toBe(first!.number + 1);
    });

    it('keeps the first answer to an idempotency key if several processes store one', async () => {
      const keep = (node: Store, answer: string) =>
        node.write((tx) =>
          idempotency.keep(tx, WORKSPACE, 'k', { digest: answer, status: 202, body: answer }),
        );
      const kept = await Promise.all([
        keep(store, 'a'),
        keep(other, 'b'),
        keep(store, 'c'),
        keep(other, 'd'),
      ]);
      expect(kept.filter(Boolean)).toHaveLength(1);
      const winner = ['a', 'b', 'c', 'd'][kept.indexOf(true)];
      expect(await store.write((tx) => idempotency.find(tx, WORKSPACE, 'k'))).toMatchObject({ body: winner });
    });

    it('lets one transaction at a time change a locked row', async () => {
      await store.write((tx) => settings.set(tx, 'counter', 0));
      const add = (node: Store) =>
        node.write(async (tx: Tx) => {
          const row = await tx.sql.get<{ value: string }>(
            `SELECT value FROM setting WHERE name = ? ${tx.sql.dialect.forUpdate}`,
            ['counter'],
          );
          await settings.set(tx, 'counter', Number(row!.value) + 1);
        });
      await Promise.all(Array.from({ length: 40 }, (_, i) => add(i % 2 ? store : other)));
      expect(await store.read((tx) => settings.get(tx, 'counter'))).toBe(40);
    });

    it('lets one transaction at a time hold a named lock', async () => {
      let holders = 0;
      let most = 0;
      const hold = (node: Store) =>
        node.write(async (tx) => {
          await tx.lock('turn');
          most = Math.max(most, ++holders);
          await settings.get(tx, 'turn');
          holders--;
        });
      await Promise.all(Array.from({ length: 20 }, (_, i) => hold(i % 2 ? store : other)));
      expect(most).toBe(1);
    });

    it('admits exactly the limit per window across processes', async () => {
      const limiters = await Promise.all(
        [store, other].map((node) => engine.limiter(node, systemSteadyClock)),
      );
      const rule = { limit: 25, windowMs: 60_000 };
      const asked = await Promise.all(
        Array.from({ length: 60 }, (_, i) => limiters[i % 2]!(WORKSPACE, 'ingest', rule)),
      );
      const admitted = asked.filter(({ verdict }) => verdict.admitted);
      expect(admitted).toHaveLength(25);
      expect(new Set(admitted.map(({ verdict }) => verdict.remaining)).size).toBe(25);
      for (const { verdict } of asked.filter(({ verdict }) => !verdict.admitted)) {
        expect(verdict.remaining).toBe(0);
        expect(verdict.retryAfter).toBeGreaterThanOrEqual(59);
      }
      expect((await limiters[0]!(WORKSPACE, 'reads', rule)).verdict).toMatchObject({
        admitted: true,
        remaining: 24,
      });
      expect((await limiters[0]!('ws_2', 'ingest', rule)).verdict).toMatchObject({
        admitted: true,
        remaining: 24,
      });
    });

    it('applies a changed limit, and frees capacity as requests leave the window', async () => {
      const ask = await engine.limiter(store, systemSteadyClock);
      const at = (limit: number, windowMs = 60_000) => ask('ws_3', 'ingest', { limit, windowMs });
      for (let i = 0; i < 5; i++) expect((await at(5)).verdict.admitted).toBe(true);
      const lowered = (await at(2)).verdict;
      expect(lowered).toMatchObject({ admitted: false, remaining: 0 });
      expect((await at(6)).verdict).toMatchObject({ admitted: true, remaining: 0 });
      await expect.poll(async () => (await at(1, 50)).verdict.admitted).toBe(true);
      expect((await at(2, 50)).verdict.remaining).toBeLessThanOrEqual(1);
    });

    it('notifies every process after a commit, and not after a rollback', async () => {
      const subscribe = (node: Store, topic: Topic) => {
        let times = 0;
        let wake = () => {};
        const first = new Promise<void>((resolve) => {
          wake = resolve;
        });
        node.subscribe(topic, () => {
          times++;
          wake();
        });
        return { first, times: () => times };
      };
      const rolledBack = subscribe(store, 'outcomes');
      const both = [subscribe(store, 'deliveries'), subscribe(other, 'deliveries')];
      const bad = store.write(async (tx) => {
        await tx.notify('outcomes');
        throw new Error('no');
      });
      await expect(bad).rejects.toThrow('no');
      await store.write(async (tx) => {
        await settings.set(tx, 'news', 1);
        await tx.notify('deliveries');
      });
      await Promise.all(both.map(({ first }) => first));
      expect(rolledBack.times()).toBe(0);
    });

    it('looks at the first row of a statement, as another process committed it', async () => {
      const statement = 'SELECT value FROM setting WHERE name = ?';
      expect(await other.readOne(statement, ['looked at'])).toBeUndefined();
      const written = await store.write(async (tx) => {
        await settings.set(tx, 'looked at', 'first');
        return tx.now;
      });
      const row = await other.readOne<{ value: string }>(statement, ['looked at']);
      expect(row).toMatchObject({ value: '"first"' });
      expect(row!.now).toBeGreaterThanOrEqual(written);
      await store.write((tx) => settings.set(tx, 'looked at', 'then'));
      expect(await other.readOne(statement, ['looked at'])).toMatchObject({ value: '"then"' });
    });

    it('looks again after a look that failed', async () => {
      await expect(other.readOne('SELECT nothing FROM setting', [])).rejects.toThrow(/nothing/);
      expect(await other.readOne('SELECT 1 AS one', [])).toMatchObject({ one: 1 });
    });

    it('stores only the hash of a key', async () => {
      await store.write((tx) => apiKeys.add(tx, WORKSPACE, 'sk_test_1', 'live'));
      expect(await apiKeys.holderOf(other, 'sk_test_1')).toEqual({
        workspace: { id: WORKSPACE, region: 'eu', mode: 'live', frozenAt: null },
        kind: 'live',
        keyId: expect.stringMatching(/^key_/),
        clients: { origins: [], open: false },
      });
      expect(await apiKeys.holderOf(other, 'sk_test_2')).toBeUndefined();
    });

    it('refuses a database written by a newer version', async () => {
      await store.write((tx) =>
        tx.sql.run("INSERT INTO schema_version (id, digest, applied_at) VALUES (9999, 'x', 0)"),
      );
      await expect(engine.open()).rejects.toThrow(/schema version 9999.*upgrade svc/);
      await store.write((tx) => tx.sql.run('DELETE FROM schema_version WHERE id = 9999'));
    });
  });
}
