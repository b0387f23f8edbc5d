import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../../../../src/kit/clock.ts';
import { SqliteStore } from '../../../../../src/service/platform/store/sqlite/store.ts';
import { startTestService } from '../../../../support/process/service.ts';

async function openStore(): Promise<SqliteStore> {
  const dir = mkdtempSync(join(tmpdir(), 'svc-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const store = await SqliteStore.open(join(dir, 'store.db'), systemClock);
  onTestFinished(() => store.close());
  return store;
}

test('a write passes the bulk writes that wait, and is committed without them', async () => {
  const store = await openStore();
  const ended: string[] = [];
  const write = (name: string, bulk: boolean, work = () => {}) =>
    store.write(async () => work(), { bulk }).then(() => void ended.push(name));
  let late: Promise<void> | undefined;
  const arrives = () => {
    late = write('decision', false);
  };
  const bulk = [
    write('bulk 1', true, arrives),
    write('bulk 2', true),
    write('bulk 3', true),
    write('bulk 4', true),
  ];
  await Promise.all(bulk);
  await late;
  expect(ended).toEqual(['bulk 1', 'decision', 'bulk 2', 'bulk 3', 'bulk 4']);
});

test('a steady stream of writes does not stop bulk writes', async () => {
  const store = await openStore();
  let streaming = true;
  let streamed = 0;
  const stream = async () => {
    while (streaming) {
      await store.write(async () => {});
      streamed++;
    }
  };
  const streams = Promise.all(Array.from({ length: 8 }, stream));
  await vi.waitFor(() => expect(streamed).toBeGreaterThan(8), { timeout: 100_000 });
  await Promise.all(Array.from({ length: 50 }, () => store.write(async () => {}, { bulk: true })));
  streaming = false;
  await streams;
});

test('writes that need no fsync do not take one that does into their group', async () => {
  const store = await openStore();
  const order: string[] = [];
  let durable: Promise<unknown> | undefined;
  const lazy = (name: string, work = () => {}) =>
    store.write(
      async () => {
        order.push(name);
        work();
      },
      { durable: false, bulk: true },
    );
  const arrives = () => {
    durable = store.write(async ({ sql }) => {
      order.push('durable');
      expect((await sql.get<{ synchronous: number }>('PRAGMA synchronous'))?.synchronous).toBe(2);
    });
  };
  await Promise.all([lazy('lazy 1', arrives), lazy('lazy 2')]);
  await durable;
  expect(order).toEqual(['lazy 1', 'durable', 'lazy 2']);
});

test('decisions at full speed leave the intake of events its turns', async () => {
  const service = await startTestService({ limits: { ingest: null, decisions: null } });
  const known = await service.fetch('/v1/users', { body: { users: [{ userId: 'u' }, { userId: 'v' }] } });
  const { users } = (await known.json()) as { users: { hashId: string }[] };
  let deciding = true;
  const decisions = Promise.all(
    [0, 1, 0, 1].map(async (i) => {
      while (deciding) {
        const answer = await service.fetch('/v1/decisioning/decide', { body: { hashId: users[i]!.hashId } });
        expect(answer.status).toBe(200);
      }
    }),
  );
  const event = { userId: 'u', event: 'viewed', timestamp: '2026-03-01T12:00:00Z' };
  for (let i = 0; i < 10; i++)
    expect((await service.fetch('/v1/events', { body: { events: Array(100).fill(event) } })).status).toBe(
      202,
    );
  deciding = false;
  await decisions;
});
