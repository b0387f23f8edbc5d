import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { createWorkspaceRows } from '../../../../../src/service/admin/create-workspace.ts';
import { events } from '../../../../../src/service/events/store/events.ts';
import { PostgresStore } from '../../../../../src/service/platform/store/postgres/store.ts';
import { eventBatch } from '../../../../support/events/batch.ts';
import { postgresDatabase } from '../../../../support/postgres/database.ts';
import { outsider } from '../../../../support/postgres/row-lock.ts';

const body = (userId: string) =>
  eventBatch(JSON.stringify({ events: [{ userId, event: 'e', timestamp: '2026-01-01T00:00:00Z' }] }));

async function open() {
  const url = await postgresDatabase();
  const store = await PostgresStore.open(url, systemClock);
  onTestFinished(() => store.close());
  const append = (workspace: string, userId: string) =>
    store.write((tx) => events.append(tx, workspace, body(userId)));
  const seen = async (workspace: string) =>
    (await store.read((tx) => events.after(tx, workspace, 0, 10))).rows.map(({ userId }) => userId);
  for (const id of ['ws', 'other']) {
    await store.write((tx) => createWorkspaceRows(tx, { id, region: null, mode: 'test' }));
    await append(id, 'first');
  }
  return { store, other: await outsider(url), append, seen };
}

/** Appends an event in a transaction that stays open until the returned function is called. */
async function appendSlowly(store: PostgresStore, workspace: string, userId: string) {
  let commit = () => {};
  let appended = () => {};
  const inserted = new Promise<void>((resolve) => {
    appended = resolve;
  });
  const slow = store.write(async (tx) => {
    await events.append(tx, workspace, body(userId));
    appended();
    await new Promise<void>((resolve) => {
      commit = resolve;
    });
  });
  await inserted;
  return () => {
    commit();
    return slow;
  };
}

it('events of a workspace become visible in the order of their numbers', async () => {
  const { store, other, append, seen } = await open();
  const commit = await appendSlowly(store, 'ws', 'slow');
  const quick = append('ws', 'quick');
  await other.waiters();
  expect(await seen('ws')).toEqual(['first']);
  await commit();
  await quick;
  expect(await seen('ws')).toEqual(['first', 'slow', 'quick']);
});

it('senders of another workspace do not wait', async () => {
  const { store, append, seen } = await open();
  const commit = await appendSlowly(store, 'ws', 'slow');
  await append('other', 'quick');
  expect(await seen('other')).toEqual(['first', 'quick']);
  await commit();
});
