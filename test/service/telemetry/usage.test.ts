import { expect, it } from 'vitest';
import { createWorkspace } from '../../../src/service/admin/accounts.ts';
import { startTestService } from '../../support/process/service.ts';

it('reads the window of each limit of its workspace, and counts nothing itself', async () => {
  const service = await startTestService({ limits: { reads: 3, ingest: null }, windowMs: 3_600_000 });
  const usage = async () => {
    const { windowMs, groups } = await service.usage();
    expect(windowMs).toBe(3_600_000);
    return new Map(groups.map((group) => [group.group, group]));
  };
  const before = (await usage()).get('reads')!;
  expect(before).toMatchObject({ limit: 3, used: 0, nextFreeAt: null });
  expect(before.buckets).toEqual(new Array(60).fill(0));
  const sentAt = Date.now();
  for (let i = 0; i < 4; i++) await service.fetch('/v1/webhooks');
  await service.fetch('/v1/events', { body: { events: [] } });
  const other = await createWorkspace(service.platform.store, 'other', 'test');
  const headers = { authorization: `Bearer ${other.key}`, 'x-service-workspace': 'other' };
  expect((await service.fetch('/v1/webhooks', { headers })).status).toBe(200);
  const after = await usage();
  const { used, buckets, nextFreeAt } = after.get('reads')!;
  expect(used).toBe(3);
  expect(buckets.reduce((sum, n) => sum + n, 0)).toBe(3);
  // They are the newest: in the last minute of the hour, or in the one before where this test took longer.
  expect(buckets.slice(0, 30)).toEqual(new Array(30).fill(0));
  expect(nextFreeAt! - 3_600_000).toBeGreaterThanOrEqual(sentAt - 2_000);
  expect(nextFreeAt! - 3_600_000).toBeLessThanOrEqual(Date.now() + 2_000);
  expect(after.get('ingest')).toMatchObject({ limit: null, used: 0, nextFreeAt: null });
});

it('says how the process is and what is due', async () => {
  const service = await startTestService();
  expect(await service.status()).toMatchObject({
    ready: true,
    backlog: [
      { kind: 'deliveries', due: 0 },
      { kind: 'notifications', due: 0 },
    ],
  });
});
