import { expect, inject, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../../src/kit/clock.ts';
import { PostgresStore } from '../../../../src/service/store/postgres/store.ts';
import { events } from '../../../../src/service/store/repositories/events.ts';
import { createDatabase } from '../../../support/postgres/postgres.ts';

const body = (userId: string) =>
  JSON.stringify({ events: [{ userId, event: 'e', timestamp: '2026-01-01T00:00:00Z' }] });

it('holds back events after an open transaction, so that no reader misses its events', async () => {
  const url = await createDatabase(inject('postgres'));
  const store = await PostgresStore.open(url, systemClock);
  onTestFinished(() => store.close());
  const seen = async () => {
    const upTo = await store.read(events.settled);
    return (await store.read((tx) => events.after(tx, 'ws', 0, upTo, 10))).rows.map(({ userId }) => userId);
  };
  await store.write((tx) => events.append(tx, 'ws', body('first')));
  let commit = () => {};
  let appended = () => {};
  const inserted = new Promise<void>((resolve) => {
    appended = resolve;
  });
  const slow = store.write(async (tx) => {
    await events.append(tx, 'ws', body('slow'));
    appended();
    await new Promise<void>((resolve) => {
      commit = resolve;
    });
  });
  await inserted;
  await store.write((tx) => events.append(tx, 'ws', body('quick')));
  expect(await seen()).toEqual(['first']);
  commit();
  await slow;
  expect(await seen()).toEqual(['first', 'slow', 'quick']);
});

it('continues after a transaction that was rolled back', async () => {
  const url = await createDatabase(inject('postgres'));
  const store = await PostgresStore.open(url, systemClock);
  onTestFinished(() => store.close());
  expect(await store.read(events.settled)).toBe(0);
  const undone = store.write(async (tx) => {
    await events.append(tx, 'ws', body('undone'));
    throw new Error('no');
  });
  await expect(undone).rejects.toThrow('no');
  await store.write((tx) => events.append(tx, 'ws', body('kept')));
  const upTo = await store.read(events.settled);
  expect((await store.read((tx) => events.after(tx, 'ws', 0, upTo, 10))).rows).toMatchObject([
    { userId: 'kept' },
  ]);
});
