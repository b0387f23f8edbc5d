import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createKey, createWorkspace, updateWorkspace } from '../../../src/service/admin/accounts.ts';
import { startTestService, type TestService } from '../../support/process/service.ts';
import { advance, clockOf } from '../../support/process/test-clock.ts';
import { json, knownUser } from '../../support/process/webhooks-service.ts';
import { tempDir } from '../../support/temp.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

describe('a test clock', () => {
  it('moves quiet hours, user tokens, keys of requests and retention, and no rate limit', async () => {
    const catalog = join(tempDir(), 'catalog.json');
    const templates = [{ templateId: 'offer', category: 'offers', body: 'Hi' }];
    // The user's zone is UTC. It is quiet for an hour from now.
    const time = (ms: number) => new Date(Date.now() + ms).toISOString().slice(11, 16);
    const marketing = { quietHours: { from: time(-HOUR), until: time(HOUR) } };
    writeFileSync(catalog, JSON.stringify({ contents: [], templates, settings: { marketing } }));
    const service = await startTestService({
      testClock: true,
      catalog,
      limits: { ingest: 50, inform: null, decisions: null, reads: null, webhooks: null },
      retain: { events: 2 * DAY },
    });
    const hashId = await knownUser(service);
    const { notificationId } = await json(
      service.fetch('/v1/inform/trigger', { body: { hashId, templateId: 'offer', channel: 'sms' } }),
      202,
    );
    const status = async () =>
      (await json(service.fetch(`/v1/inform/notifications/${notificationId}`), 200)).status;
    await expect.poll(status).toBe('held');
    const track = (idempotencyKey: string, event: string) =>
      service.fetch('/v1/events', {
        body: { events: [{ userId: 'u1', event, timestamp: '2026-01-01T00:00:00Z' }] },
        headers: { 'idempotency-key': idempotencyKey },
      });
    await json(track('k1', 'seen'), 202);
    const { key } = await createKey(service.platform.store, service.workspace, 'publishable');
    const token = await json(service.fetch(`/v1/users/${hashId}/tokens`, { body: {} }), 201);
    const poll = async () => {
      const headers = { authorization: `Bearer ${key}`, 'x-service-user-token': token.token };
      return (await service.fetch(`/v1/messages?hashId=${hashId}`, { headers })).status;
    };
    expect(await poll()).toBe(200);
    expect(Math.abs(Date.parse(token.expiresAt) - Date.now())).toBeLessThan(2 * HOUR);

    await advance(service, 2 * HOUR);
    expect(await status()).toBe('delivered');
    expect(await poll()).toBe(401);
    // One request of the window was the user, one the event, one the token.
    const again = await track('k1', 'seen');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.headers.get('x-service-ratelimit-remaining')).toBe('46');
    expect(Math.abs(Number(again.headers.get('x-service-ratelimit-reset')) * 1000 - Date.now())).toBeLessThan(
      2 * MINUTE,
    );

    const until = new Date(Date.parse((await clockOf(service)).now) + 3 * DAY).toISOString();
    expect((await clockOf(service, `?until=${until}`)).due.removed.events).toBe(1);
    await advance(service, 3 * DAY);
    expect((await track('k1', 'seen')).headers.get('idempotent-replayed')).toBe(null);
    const rows = await service.platform.store.read(({ sql }) =>
      sql.all('SELECT number FROM event WHERE workspace_id = ?', [service.workspace]),
    );
    expect(rows).toHaveLength(1);
  });

  it('is one for all processes of a store, goes on after they stop, and never goes back', async () => {
    const first = await startTestService({ testClock: true });
    const second = await startTestService({ database: first.database });
    const put = (service: TestService, now: string, code: number) =>
      json(service.fetch('/v1/clock', { method: 'PUT', body: { now } }), code);
    const { now } = await clockOf(second);
    await advance(second, 30 * DAY);
    const after = await clockOf(first);
    expect(Date.parse(after.now) - Date.parse(now)).toBeGreaterThanOrEqual(30 * DAY);
    expect(after.offsetMs).toBeGreaterThan(29 * DAY);
    expect(await put(first, now, 400)).toMatchObject({ details: [{ field: 'now' }] });
    await put(first, '2026-01-31', 400);
    await put(first, new Date(Date.parse(after.now) + 4000 * DAY).toISOString(), 400);
    await first.close();
    await second.close();
    const third = await startTestService({ database: first.database });
    expect(third.testClock).toBe(true);
    expect(Date.parse((await clockOf(third)).now)).toBeGreaterThanOrEqual(Date.parse(after.now));
  });

  it('is refused to live workspaces, and where there is none', async () => {
    const service = await startTestService();
    await json(service.fetch('/v1/clock'), 404);
    await json(service.fetch('/v1/clock', { method: 'PUT', body: { now: '2999-01-01T00:00:00Z' } }), 404);
    const { store } = service.platform;
    await updateWorkspace(store, service.workspace, { mode: 'live' });
    await json(service.fetch('/v1/clock'), 403);
    await expect(startTestService({ database: service.database, testClock: true })).rejects.toMatchObject({
      name: 'TestClockRefused',
    });
    await updateWorkspace(store, service.workspace, { mode: 'test' });
    await startTestService({ database: service.database, testClock: true });
    await json(service.fetch('/v1/clock'), 200);
    await expect(createWorkspace(store, 'live', 'live')).rejects.toMatchObject({ reason: 'test_clock' });
    await expect(updateWorkspace(store, service.workspace, { mode: 'live' })).rejects.toMatchObject({
      reason: 'test_clock',
    });
  });
});
