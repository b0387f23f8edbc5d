import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { decisions } from '../../../../../src/service/decisions/store/decisions.ts';
import { events } from '../../../../../src/service/events/store/events.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { removals } from '../../../../../src/service/platform/store/retention/removals.ts';
import { type Store, StoreUnavailable } from '../../../../../src/service/platform/store/store.ts';
import { eventBatch } from '../../../../support/events/batch.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';
import { type AgedStore, agedStore, DAY_MS } from '../../../../support/retention/aged-store.ts';

const START = Date.UTC(2026, 0, 1);
const KEPT = 12 * DAY_MS;

const ingest = (store: Store, userId: string) =>
  store.write((tx) => {
    const event = { userId, event: 'e', timestamp: '2026-01-01T00:00:00Z' };
    return events.append(tx, 'ws_one', eventBatch(JSON.stringify({ events: [event] })));
  });

async function stored(store: Store): Promise<string[]> {
  const { rows } = await store.read((tx) => events.after(tx, 'ws_one', 0, 1000));
  return rows.map(({ userId }) => userId);
}

const decide = (store: Store, decisionId: string) =>
  store.write((tx) =>
    decisions.add(tx, 'ws_one', {
      ...{
        decisionId,
        hashId: 'h',
        context: {},
        contentId: null,
        candidates: [],
        others: null,
        features: [],
      },
      ...{
        category: null,
        attributes: [],
        prior: null,
        modelVersion: 0,
        seed: '',
        policy: null,
        reason: null,
        explanation: null,
        removed: null,
      },
    }),
  );

/** Makes a user that may read and write what a database has and owns nothing. Returns the URL with it. */
async function withoutOwning(database: string): Promise<string> {
  const name = `limited_${randomBytes(4).toString('hex')}`;
  const [admin, limited] = [new pg.Client({ connectionString: database }), new URL(database)];
  await admin.connect();
  await admin.query(`CREATE ROLE ${name} LOGIN`);
  await admin.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name}`);
  await admin.query(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${name}`);
  onTestFinished(async () => {
    await admin.query(`DROP OWNED BY ${name}`);
    await admin.query(`DROP ROLE ${name}`);
    await admin.end();
  });
  limited.username = name;
  return limited.href;
}

/** Another connection, as of pg_dump or psql, that sees the database's real names. */
async function connection({ database }: AgedStore): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** A long transaction that has read a table, as pg_dump does. */
async function reading(aged: AgedStore, table: string): Promise<() => Promise<unknown>> {
  const client = await connection(aged);
  await client.query(`BEGIN; SELECT 1 FROM ${table} LIMIT 1`);
  return () => client.query('COMMIT');
}

const partitionsOf = async (aged: AgedStore) => {
  const { rows } = await (await connection(aged)).query(
    "SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE inhparent = 'event'::regclass ORDER BY 1",
  );
  return rows.map(({ relname }) => relname as string);
};

test('a long transaction puts changes off, and nothing waits for it', async () => {
  const aged = await agedStore(START);
  const { store } = aged;
  const keep = () => store.partitions!.keep('events', KEPT);
  await ingest(store, 'first');
  let end = await reading(aged, 'event');
  expect(await keep()).toMatch(/^event is in use/);
  await ingest(store, 'while it is divided');
  expect(await stored(store)).toEqual(['first', 'while it is divided']);
  await end();
  await expect.poll(keep).toBeUndefined();
  const before = await partitionsOf(aged);
  expect(before).toContain('event_first');

  // Neither the drop of old partitions nor new ones: new rows go to the partition for all others.
  end = await reading(aged, 'event');
  await aged.to(START + 40 * DAY_MS);
  expect(await keep()).toMatch(/in use/);
  await ingest(store, 'while it is read');
  expect(await partitionsOf(aged)).toEqual(before);
  await end();
  await expect.poll(keep).toBeUndefined();
  expect(await stored(store)).toEqual(['while it is read']);
  expect(await store.read((tx) => removals.of(tx, 'ws_one', 'events'))).toMatchObject({ number: 2 });
  await ingest(store, 'last');
  expect(await stored(store)).toEqual(['while it is read', 'last']);
});

test('a large table becomes the first partition by a check, without being read under a lock', async () => {
  const aged = await agedStore(START);
  const { store } = aged;
  const other = await connection(aged);
  await other.query(
    `INSERT INTO event (workspace_id, number, user_id, event, timestamp, properties, received_at) SELECT 'ws_one', n, repeat('u', 200), 'e', '2026-01-01T00:00:00Z', NULL, ${START} - 40 * ${DAY_MS}::bigint
     FROM generate_series(1, 150000) AS n`,
  );
  await other.query("UPDATE event_head SET number = 150000 WHERE workspace_id = 'ws_one'");
  const { rows } = await other.query(
    `SELECT 'event'::regclass::oid AS id, pg_relation_filenode('event') AS file`,
  );
  // The check is added and validated, and the last step finds the table in use.
  await other.query(
    'ALTER TABLE event ADD CONSTRAINT event_span CHECK (received_at < 9999999999999) NOT VALID',
  );
  const end = await reading(aged, 'event');
  expect(await store.partitions!.keep('events', KEPT)).toBe('event is in use');
  await ingest(store, 'new');
  await end();
  await expect.poll(() => store.partitions!.keep('events', KEPT)).toBeUndefined();
  const first = await other.query(
    `SELECT 'event_first'::regclass::oid AS id, pg_relation_filenode('event_first') AS file`,
  );
  expect(first.rows).toEqual(rows);
  await ingest(store, 'newer');
  const newest = await store.read((tx) => events.after(tx, 'ws_one', 149_999, 10));
  expect(newest.rows.map(({ number }) => Number(number))).toEqual([150_000, 150_001, 150_002]);
  // Its old rows are removed one by one until it is dropped as a whole.
  expect(await store.write((tx) => store.partitions!.byRow(tx, 'events', KEPT))).toEqual([
    'event_first',
    'event_other',
  ]);
});

test('a check that comes to its end before the table is divided is made again', async () => {
  const aged = await agedStore(START);
  const { store } = aged;
  await (await connection(aged)).query(
    `ALTER TABLE event ADD CONSTRAINT event_span CHECK (received_at < ${START + 40 * DAY_MS}) NOT VALID`,
  );
  await aged.to(START + 50 * DAY_MS);
  // Not the client's fault.
  await expect(ingest(store, 'late')).rejects.toThrow(StoreUnavailable);
  expect(await store.partitions!.keep('events', KEPT)).toMatch(/starts again/);
  await ingest(store, 'late');
  await expect.poll(() => store.partitions!.keep('events', KEPT)).toBeUndefined();
  expect(await stored(store)).toEqual(['late']);
});

test('rows from a time that is still to come put the division off, and are kept', async () => {
  const aged = await agedStore(START + 100 * DAY_MS);
  const { store } = aged;
  await ingest(store, 'ahead');
  await aged.to(START);
  expect(await store.partitions!.keep('events', KEPT)).toMatch(/still to come/);
  await ingest(store, 'now');
  expect(await stored(store)).toEqual(['ahead', 'now']);
  await aged.to(START + 101 * DAY_MS);
  await expect.poll(() => store.partitions!.keep('events', KEPT)).toBeUndefined();
  expect(await stored(store)).toEqual(['ahead', 'now']);
});

test('numbers of decisions go on in partitions, and another retention takes over', async () => {
  const aged = await agedStore(START);
  const { store } = aged;
  for (const id of ['d1', 'd2', 'd3']) await decide(store, id);
  await expect.poll(() => store.partitions!.keep('decisions', KEPT)).toBeUndefined();
  for (const id of ['d4', 'd5']) await decide(store, id);
  const log = async () =>
    (await store.read((tx) => decisions.after(tx, 'ws_one', 0, 10))).rows.map(
      ({ decisionId, seq }) => `${decisionId} ${seq}`,
    );
  expect(await log()).toEqual(['d1 1', 'd2 2', 'd3 3', 'd4 4', 'd5 5']);
  await aged.to(START + 8 * DAY_MS);
  await decide(store, 'd6');
  await aged.to(START + 10 * DAY_MS);
  // Longer than a period of the new retention: what is too old in them is removed one by one.
  await aged.clean({
    events: null,
    decisions: DAY_MS * 4,
    notifications: null,
    eventIds: null,
    outcomes: null,
  });
  expect(await log()).toEqual(['d6 6']);
  await aged.clean({ events: null, decisions: null, notifications: null, eventIds: null, outcomes: null });
  await aged.to(START + 800 * DAY_MS);
  await aged.clean({ events: null, decisions: null, notifications: null, eventIds: null, outcomes: null });
  await decide(store, 'd7');
  expect(await log()).toEqual(['d6 6', 'd7 7']);
});

test('says what it needs where the user does not own the tables', async () => {
  const store = await PostgresStore.open(await withoutOwning(await postgresDatabase()), systemClock);
  onTestFinished(() => store.close());
  for (const log of ['events', 'decisions'] as const)
    expect(await store.partitions.keep(log, KEPT)).toMatch(
      /^must be owner of table \w+: the user of --database needs to own the tables$/,
    );
});
