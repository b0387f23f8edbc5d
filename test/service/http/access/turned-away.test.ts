import { expect, it } from 'vitest';
import { TurnedAway } from '../../../../src/service/http/access/turned-away.ts';
import { startTestService } from '../../../support/process/service.ts';

const HOUR_MS = 3_600_000;

it('counts the requests that are over a limit by key and endpoint', async () => {
  const service = await startTestService({ limits: { reads: 2 } });
  const since = Date.now();
  for (let i = 0; i < 5; i++) await service.fetch('/v1/decisions');
  await service.fetch('/v1/messages');
  const { rows } = await service.turnedAway();
  expect(rows).toMatchObject([
    { keyId: service.keyId, kind: 'test', endpoint: 'listDecisions', count: 3 },
    { keyId: service.keyId, endpoint: 'listMessages', count: 1 },
  ]);
  expect(rows[0]!.firstAt).toBeGreaterThanOrEqual(since);
  expect(rows[0]!.lastAt).toBeGreaterThanOrEqual(rows[0]!.firstAt);
});

it('forgets what is a day old, and keeps a bounded number of keys', async () => {
  const { platform, workspace, keyId } = await startTestService();
  let now = 100 * HOUR_MS;
  const turned = new TurnedAway(() => now);
  const read = () => turned.read(platform.store, workspace);
  turned.add(workspace, keyId!, 'decide');
  now += 23 * HOUR_MS;
  turned.add(workspace, keyId!, 'decide');
  turned.add('another', keyId!, 'decide');
  expect(await read()).toMatchObject({
    since: 100 * HOUR_MS,
    rows: [{ count: 2, firstAt: 100 * HOUR_MS, lastAt: now }],
  });
  now += 2 * HOUR_MS;
  expect(await read()).toMatchObject({ since: 101 * HOUR_MS, rows: [{ count: 1, firstAt: 123 * HOUR_MS }] });
  for (let i = 0; i < 600; i++) turned.add(workspace, `key_${i}`, 'decide');
  const { rows } = await read();
  expect(rows).toHaveLength(50);
  expect(rows.some((row) => row.keyId === keyId)).toBe(false);
});
