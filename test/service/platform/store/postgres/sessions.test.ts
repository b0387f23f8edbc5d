import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { settings } from '../../../../../src/service/platform/store/settings.ts';
import { StoreUnavailable, StoreUnusable, type Tx } from '../../../../../src/service/platform/store/store.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';
import { outsider } from '../../../../support/postgres/row-lock.ts';

const open = async (url: string) => {
  const store = await PostgresStore.open(url, systemClock);
  onTestFinished(() => store.close());
  return store;
};
const pidOf = async ({ sql }: Tx) => (await sql.get<{ pid: number }>('SELECT pg_backend_pid() AS pid'))!.pid;

it('a connection terminated between two statements fails only its transaction', async () => {
  const url = await postgresDatabase();
  const store = await open(url);
  const other = await outsider(url);
  const broken = store.write(async (tx) => {
    await settings.set(tx, 'lost', 1);
    await other.query('SELECT pg_terminate_backend($1, 5000)', [await pidOf(tx)]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await settings.set(tx, 'lost', 2);
  });
  await expect(broken).rejects.toThrow(StoreUnavailable);
  expect(await store.read((tx) => settings.get(tx, 'lost'))).toBeUndefined();
});

it('a transaction whose begin is pipelined with its first statements begins again on another connection', async () => {
  const url = new URL(await postgresDatabase());
  let cut = false;
  let lost = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname);
    for (const socket of [client, upstream]) socket.on('error', () => {});
    upstream.pipe(client);
    client.on('data', (data) => {
      if (!cut) return void upstream.write(data);
      cut = false;
      lost++;
      for (const socket of [client, upstream]) socket.destroy();
    });
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const behind = new URL(url);
  behind.port = String((server.address() as AddressInfo).port);
  const store = await open(behind.href);
  onTestFinished(() => void server.close());
  await store.read((tx) => settings.get(tx, 'x'));
  let early: unknown;
  const add = () =>
    store.write(
      async (tx) => {
        try {
          early = tx.now;
        } catch (error) {
          early = error;
        }
        const known = (await settings.get<number>(tx, 'n')) ?? 0;
        tx.deferUntilCommit([settings.set(tx, 'n', known + 1)]);
        return tx.now;
      },
      { pipelinedBegin: true },
    );
  cut = true;
  expect(await add()).toBeGreaterThan(0);
  expect(lost).toBe(1);
  // The second attempt has no pipelined begin.
  expect(early).toBeTypeOf('number');
  await add();
  expect(early).toBeInstanceOf(Error);
  expect(await store.read((tx) => settings.get(tx, 'n'))).toBe(2);
});

it('a statement after the end of its transaction is refused', async () => {
  const store = await open(await postgresDatabase());
  let late: Promise<unknown> | undefined;
  const stored = store.write(async (tx) => {
    const first = tx.sql.get('SELECT 1 AS one');
    late = first.then(() => settings.set(tx, 'late', 1));
    tx.deferUntilCommit([late]);
  });
  await expect(stored).rejects.toThrow('after the end of its transaction');
  expect(await store.read((tx) => settings.get(tx, 'late'))).toBeUndefined();
});

it('a transaction that times out while its node is paused fails, and nothing else', async () => {
  const url = await postgresDatabase();
  const store = await open(`${url}?idle_in_transaction_session_timeout=50`);
  const paused = store.write(async (tx) => {
    await settings.set(tx, 'lost', 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await settings.set(tx, 'lost', 2);
  });
  await expect(paused).rejects.toThrow(StoreUnavailable);
  expect(await store.read((tx) => settings.get(tx, 'lost'))).toBeUndefined();
});

it('silent connections, as after a failover without a reset, delay a request by seconds and are replaced', async () => {
  const url = new URL(await postgresDatabase());
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(url.port), url.hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    client.pipe(upstream).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const behind = new URL(url);
  behind.port = String((server.address() as AddressInfo).port);
  const store = await open(behind.href);
  await Promise.all(Array.from({ length: 10 }, () => store.read((tx) => settings.get(tx, 'x'))));
  for (const socket of sockets) socket.unpipe();
  for (const socket of sockets) socket.resume();
  await expect(store.read((tx) => settings.get(tx, 'x'))).rejects.toThrow(StoreUnavailable);
  // Nine concurrent requests detect the other nine.
  await Promise.allSettled(Array.from({ length: 10 }, () => store.read((tx) => settings.get(tx, 'x'))));
  expect(await store.read((tx) => settings.get(tx, 'x'))).toBeUndefined();
});

it('sessions set isolation and durability, whatever the defaults of the database', async () => {
  const url = await postgresDatabase({ empty: true });
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  for (const [name, value] of Object.entries({
    default_transaction_isolation: 'serializable',
    default_transaction_read_only: 'on',
    default_transaction_deferrable: 'on',
    synchronous_commit: 'off',
    client_min_messages: 'error',
    idle_session_timeout: '1000',
    extra_float_digits: '-15',
    statement_timeout: '1',
    lock_timeout: '1',
    idle_in_transaction_session_timeout: '1',
  }))
    await admin.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${name} = '${value}'`);
  await admin.end();
  const store = await open(url);
  const seen = `SELECT current_setting('transaction_isolation') AS isolation,
    current_setting('transaction_read_only') AS "readOnly", current_setting('synchronous_commit') AS "commit",
    current_setting('client_min_messages') AS messages, current_setting('idle_session_timeout') AS idle,
    (0.1::float8 + 0.2::float8)::text AS float`;
  const expected = {
    isolation: 'read committed',
    readOnly: 'off',
    commit: 'on',
    messages: 'warning',
    idle: '0',
    float: '0.30000000000000004',
  };
  expect(await store.write((tx) => tx.sql.get(seen))).toEqual(expected);
  expect(await store.write((tx) => tx.sql.get(seen), { durable: false })).toEqual({
    ...expected,
    commit: 'off',
  });
  expect(await store.statement('seen', seen, [])).toEqual([expected]);
});

it('keeps another synchronous_commit level that the operator has set', async () => {
  for (const level of ['local', 'remote_apply']) {
    const url = await postgresDatabase();
    const store = await open(`${url}?options=-c%20synchronous_commit%3D${level}`);
    const shown = await store.write((tx) =>
      tx.sql.get("SELECT current_setting('synchronous_commit') AS level"),
    );
    expect(shown).toEqual({ level });
  }
});

it('refuses a new database with another encoding, and suggests the command to create one', async () => {
  const admin = new pg.Client({ connectionString: inject('postgres') });
  await admin.connect();
  await admin.query('DROP DATABASE IF EXISTS svc_test_latin1');
  await admin.query("CREATE DATABASE svc_test_latin1 TEMPLATE template0 ENCODING 'LATIN1'");
  await admin.end();
  const url = new URL(inject('postgres'));
  url.pathname = '/svc_test_latin1';
  const opening = PostgresStore.open(url.href, systemClock);
  await expect(opening).rejects.toThrow(StoreUnusable);
  await expect(opening).rejects.toThrow(/LATIN1.*createdb --encoding UTF8/);
});

it('an answer that came while the process was busy for long counts', async () => {
  const store = await open(await postgresDatabase());
  const read = () => store.read((tx) => settings.get(tx, 'x'));
  await read();
  const reading = read();
  // Statements are sent at the end of the microtasks.
  setImmediate(() => {
    const until = performance.now() + 3200;
    while (performance.now() < until);
  });
  expect(await reading).toBeUndefined();
});
