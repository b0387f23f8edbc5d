import { expect, test } from 'vitest';
import { DataReader } from '../../../src/service/telemetry/stored-data.ts';
import { startTestService } from '../../support/process/service.ts';

test('says which tables take how much room, and measures it every five minutes at most', async () => {
  const service = await startTestService();
  const { store } = service.platform;
  let now = 0;
  const reader = new DataReader(store, { now: () => now });
  const read = async (kind: string) =>
    (await reader.read(service.workspace)).find((each) => each.kind === kind)!;
  expect((await read('events')).rows).toBe(0);
  const before = (await read('events')).bytes!;
  expect(before).toBeGreaterThan(0);
  const event = {
    userId: 'u',
    event: 'e',
    timestamp: '2026-01-01T00:00:00Z',
    properties: { p: 'x'.repeat(900) },
  };
  const sent = await service.fetch('/v1/events', { body: { events: new Array(1000).fill(event) } });
  expect(sent.status).toBe(202);
  expect(await read('events')).toEqual({ kind: 'events', rows: 1000, more: false, bytes: before });
  now = 300_000;
  expect((await read('events')).bytes).toBeGreaterThan(before + 900_000);
  expect((await read('other')).bytes).toBeGreaterThan(0);
});
